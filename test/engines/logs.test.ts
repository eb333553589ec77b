import assert from 'node:assert/strict';
import path from 'node:path';
import { LineSplitter } from '../../src/platform/logs/lineSplitter.ts';
import { completeLines } from '../support/completeLines.ts';
import { cleanUp, dataDirectory, eventually } from '../platform/support.ts';
import { openRuntime, STAYS, startWorker } from './workerSupport.ts';
import { onEngines } from './world.ts';

const OWNER = 'logs';
const PADDING = 'x'.repeat(90);

/** Prints numbered lines as fast as it can, every hundredth one on standard error, and then the last line. */
const flood = (lines: number): string => `
  const fs = require('node:fs');
  const print = (fd, text) => { for (let at = 0; at < text.length;) at += fs.writeSync(fd, text.slice(at)); };
  const padding = ${JSON.stringify(PADDING)};
  for (let line = 1; line <= ${lines}; line++) print(line % 100 === 0 ? 2 : 1, line + ' ' + padding + '\\n');
`;

/** Collects the numbers of lines, and checks that each line is whole. */
function numbers() {
  const streams = { stdout: [] as number[], stderr: [] as number[] };
  const splitter = (stream: 'stdout' | 'stderr') =>
    new LineSplitter((lines) => {
      for (const line of lines) {
        const number = Number(line.slice(0, -PADDING.length));
        assert.ok(number > 0 && line.endsWith(` ${PADDING}`), `unexpected line ${line.slice(0, 200)}`);
        streams[stream].push(number);
      }
    });
  const splitters = { stdout: splitter('stdout'), stderr: splitter('stderr') };
  return {
    streams,
    onOutput: (stream: 'stdout' | 'stderr', chunk: Uint8Array): void => splitters[stream].write(chunk),
  };
}

/** Checks that the numbers of both streams are those from 1 on, each once and in order. */
function assertComplete({ stdout, stderr }: ReturnType<typeof numbers>['streams'], lines: number): void {
  let [outAt, errAt] = [0, 0];
  for (let line = 1; line <= lines; line++) {
    const found = line % 100 === 0 ? stderr[errAt++] : stdout[outAt++];
    if (found !== line) assert.fail(`expected line ${line} and found ${found}`);
  }
  assert.deepEqual([stdout.length, stderr.length], [outAt, errAt]);
}

describe('Logs of containers', () => {
  afterEach(cleanUp);

  onEngines(({ name, running }) => {
    it('have each line once while the engine replaces the files of its log', async function () {
      // Podman empties its file while it is read.
      if (name === 'Podman') this.skip();
      const lines = 400_000;
      const { streams, onOutput } = numbers();
      const { running: worker } = await startWorker(
        openRuntime(running(), OWNER),
        OWNER,
        flood(lines),
        {},
        { onOutput },
      );
      assert.equal((await worker.exited).code, 0);
      assertComplete(streams, lines);
    }).timeout(240_000);

    it('continue after an outage of the engine, and report lines that it lost in the meantime', async function () {
      const { power } = running();
      if (!power) this.skip();
      const gaps: [string, string][] = [];
      const { streams, onOutput } = numbers();
      const directory = await dataDirectory();
      const rest = `${flood(250_000).replace('line = 1', 'line = 2')} fs.writeFileSync('/data/done', 'done\\n');`;
      const script = `process.once('SIGUSR2', () => { ${rest} }); { ${flood(1)} } ${STAYS}`;
      const changes = { mounts: [{ directory, path: '/data' }] };
      const onOutputLost = (from: string, until: string) => void gaps.push([from, until]);
      const options = { onOutput, onOutputLost };
      const { running: worker, said } = await startWorker(
        openRuntime(running(), OWNER),
        OWNER,
        script,
        changes,
        options,
      );
      await eventually('the first line', () => streams.stdout.length === 1);
      const id = worker.label.split(' ')[1] ?? '';
      const { State: state } = await running().api.json<{ State: { Pid: number } }>({
        path: `/v1.41/containers/${id}/json`,
      });
      const read = Date.now();
      await power.kill();
      await eventually('the loss of the engine', () => said.reachable.length === 1);
      // The times of Podman have whole seconds, so a gap within one second cannot be seen.
      await eventually('another second', () => Date.now() - read > 1_000);
      process.kill(state.Pid, 'SIGUSR2');
      // The files of the log grow without Podman. Docker reads no output while it is away.
      if (name === 'Podman')
        await eventually(
          'the flood has ended',
          async () => (await completeLines(path.join(directory, 'done'))).length > 0,
        );
      await power.start();
      await eventually('the last line', () => streams.stdout.at(-1) === 249_999 && streams.stderr.at(-1) === 250_000);
      if (name === 'Docker') {
        assertComplete(streams, 250_000);
        assert.deepEqual(gaps, []);
      } else {
        assert.equal(gaps.length, 1, `${streams.stdout.length} lines of the output`);
        const [from, until] = gaps[0] ?? ['', ''];
        assert.ok(Date.parse(from) <= Date.parse(until));
        assert.ok(streams.stdout.length < 250_000);
        assert.equal(new Set(streams.stdout).size, streams.stdout.length, 'each line once');
      }
      await worker.stop(0);
    }).timeout(240_000);
  });
});
