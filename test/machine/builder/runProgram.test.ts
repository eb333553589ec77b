import assert from 'node:assert/strict';
import { runProgram, type ProgramEnd } from '../../../src/machine/builder/runProgram.ts';
import { isAlive } from '../../../src/machine/processTable.ts';
import { eventually } from '../../platform/support.ts';

describe('A program of the user', () => {
  const run = async (
    script: string,
    signal = new AbortController().signal,
    onLine: (line: string) => void = () => undefined,
  ) => {
    const lines: string[] = [];
    const end: ProgramEnd = await runProgram({
      ...{ file: process.execPath, args: ['-e', script], environment: process.env, signal },
      onLine: (line) => {
        lines.push(line);
        onLine(line);
      },
    });
    return { end, lines };
  };

  it('delivers its lines, and ends with its exit code', async () => {
    const script = `process.stdout.write('a\\r\\nb\\n\\nä'); process.stderr.write(''); process.exitCode = 3;`;
    assert.deepEqual(await run(script), { end: { kind: 'exited', code: 3 }, lines: ['a', 'b', '', 'ä'] });
  });

  it('is missing if it cannot be started', async () => {
    const signal = new AbortController().signal;
    const run = { file: 'no-such-program', args: [], environment: {}, onLine: () => undefined, signal };
    assert.equal((await runProgram(run)).kind, 'missing');
  });

  it('does not start once it is canceled', async () => {
    assert.deepEqual((await run('process.exit(1)', AbortSignal.abort())).end, { kind: 'ended' });
  });

  for (const [what, handler] of [
    ['ends with its processes', ''],
    ['ends although its processes ignore the request', `process.on('SIGTERM', () => undefined);`],
  ] as const) {
    it(`${what} when it is canceled`, async function () {
      if (process.platform === 'win32') this.skip();
      this.timeout(20_000);
      const child = `${handler} console.log(process.pid); setInterval(() => undefined, 1e6);`;
      const script = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' }); setInterval(() => undefined, 1e6);`;
      const abort = new AbortController();
      const { end, lines } = await run(script, abort.signal, () => abort.abort());
      assert.deepEqual(end, { kind: 'ended' });
      await eventually('the child has ended', () => !isAlive(Number(lines[0])));
    });
  }
});
