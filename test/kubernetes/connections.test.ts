import assert from 'node:assert/strict';
import { afterwards, cleanUp, eventually } from '../platform/support.ts';
import { cuttable } from './cuttable.ts';
import { needsCluster, runtimeForTest } from './cluster.ts';
import { specOf, startWorker, STAYS } from './workers.ts';

const optionsOf = ({ kubeconfig }: { kubeconfig: string }) => ({
  environment: { KUBECONFIG: kubeconfig },
  workerHost: '192.0.2.1',
});

/** Prints numbered lines. */
const COUNTS = (count: number, ms: number): string =>
  `let n = 0; const t = setInterval(() => { console.log('line ' + n++); if (n === ${count}) clearInterval(t); }, ${ms});`;
const LINES = 300;

describe('The connection to a cluster', () => {
  needsCluster();
  afterEach(cleanUp);

  it('delivers each line once, with its time, although connections are cut', async () => {
    const way = await cuttable();
    const { running, observed } = await startWorker(runtimeForTest(optionsOf(way)), specOf(COUNTS(LINES, 20)));
    const text = (): string => observed.lines.map((line) => line.text).join('');
    for (const after of [30, 90, 91, 150, 230]) {
      await eventually(`line ${after} was printed`, () => text().includes(`line ${after}\n`));
      way.cut();
    }
    assert.deepEqual(await running.exited, { code: 0, signal: null });
    const expected = Array.from({ length: LINES }, (_, line) => `line ${line}\n`).join('');
    assert.equal(text(), expected);
    assert.ok(observed.lines.every(({ at }, index, all) => at >= (all[index - 1]?.at ?? 0)));
  });

  it('is reported while it is lost, and does not affect the worker', async () => {
    const way = await cuttable();
    const { running, observed } = await startWorker(runtimeForTest(optionsOf(way)), specOf(COUNTS(1_000_000, 100)));
    way.setOpen(false);
    way.cut();
    await eventually('the loss is reported', () => typeof observed.unreachable.at(-1) === 'string');
    assert.match(observed.unreachable.join(), /does not respond/);
    const before = observed.lines.length;
    way.setOpen(true);
    await eventually('the end of the loss is reported', () => observed.unreachable.length === 2);
    assert.equal(observed.unreachable[1], undefined);
    await eventually('the output continues', () => observed.lines.length > before + 20);
    const numbers = observed.lines.map(({ text }) => Number(text.split(' ')[1]));
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index),
    );
    await running.stop(0);
  });

  it('ends a worker whose stop was requested while the connection was lost', async () => {
    const way = await cuttable();
    const { running, spec } = await startWorker(runtimeForTest(optionsOf(way)), specOf(STAYS));
    way.setOpen(false);
    way.cut();
    const stopping = running.stop(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    way.setOpen(true);
    await stopping;
    const handle = { runtime: 'kubernetes', namespace: null, runId: spec.labels.runId };
    assert.equal(await runtimeForTest().endOrphans([handle]), 0);
  });

  it('ends the pods of an earlier platform once there is a connection', async () => {
    const { running } = await startWorker(runtimeForTest(), specOf(STAYS));
    const way = await cuttable();
    way.setOpen(false);
    const later = runtimeForTest(optionsOf(way));
    afterwards(() => later.close());
    assert.equal(await later.endOrphans([running.handle]), 0);
    way.setOpen(true);
    await running.exited;
  });
});
