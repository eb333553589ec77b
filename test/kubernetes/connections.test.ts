import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { clusterAccess } from '../../src/platform/runtimes/kubernetes/access/clusterAccess.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { afterwards, cleanUp, dataDirectory, eventually } from '../platform/support.ts';
import { needsCluster, runtimeForTest } from './cluster.ts';
import { specOf, startWorker, STAYS } from './workers.ts';

/** A way to the API of the cluster that can be cut. */
async function cuttable() {
  const { connection } = await clusterAccess({ environment: process.env, clock: systemClock });
  const { host, port } = connection.options;
  const headers = await connection.headers?.();
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), host ?? '');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    if (!isOpen) {
      incoming.destroy();
      outgoing.destroy();
    }
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  const address = server.address() as { port: number };
  const file = path.join(await dataDirectory(), 'kubeconfig');
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
    clusters: [
      { name: 'c', cluster: { server: `https://127.0.0.1:${address.port}`, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: 'u', user: { token: headers?.['Authorization']?.replace('Bearer ', '') } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  afterwards(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  );
  const options = { environment: { KUBECONFIG: file }, workerHost: '192.0.2.1' };
  return { options, cut, setOpen: (open: boolean) => (isOpen = open) };
}

/** Prints numbered lines. */
const COUNTS = (count: number, ms: number): string =>
  `let n = 0; const t = setInterval(() => { console.log('line ' + n++); if (n === ${count}) clearInterval(t); }, ${ms});`;
const LINES = 300;

describe('The connection to a cluster', () => {
  needsCluster();
  afterEach(cleanUp);

  it('delivers each line once, with its time, although connections are cut', async () => {
    const way = await cuttable();
    const { running, observed } = await startWorker(runtimeForTest(way.options), specOf(COUNTS(LINES, 20)));
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
    const { running, observed } = await startWorker(runtimeForTest(way.options), specOf(COUNTS(1_000_000, 100)));
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
    const { running, spec } = await startWorker(runtimeForTest(way.options), specOf(STAYS));
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
    const later = runtimeForTest(way.options);
    afterwards(() => later.close());
    assert.equal(await later.endOrphans([running.handle]), 0);
    way.setOpen(true);
    await running.exited;
  });
});
