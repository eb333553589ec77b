import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  ExecError,
  type ExecRequest,
  type ExecSession,
  type RunningWorker,
} from '../../src/platform/runtimes/runtime.ts';
import { eventually } from '../platform/support.ts';

/** The environment of the tests of programs beside workers. */
export interface ExecSetup {
  /** Starts a worker that stays, in `SHELL_IMAGE` or in `NODE_IMAGE`, which has no shell. */
  readonly start: (image: 'shell' | 'node') => Promise<RunningWorker>;
  /** Whether the input of a program without a terminal can be closed. */
  readonly closesInput: boolean;
}

const never = new AbortController().signal;
const MB = 1_048_576;

export async function exec(worker: RunningWorker, request: ExecRequest, signal = never): Promise<ExecSession> {
  const session = await worker.exec?.(request, signal);
  assert.ok(session);
  return session;
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Resolves with everything a program printed, and its exit code. */
async function resultOf(worker: RunningWorker, command: readonly string[]) {
  const { stdout, stderr, exited } = await exec(worker, { command });
  const [out, err, code] = await Promise.all([bytesOf(stdout), bytesOf(stderr), exited]);
  return { out: out.toString(), err: err.toString(), code };
}

/** Collects the output of a program while it runs. */
function textOf({ stdout }: ExecSession): { readonly text: string } {
  const decoder = new TextDecoder();
  const said = { text: '' };
  stdout.on('data', (chunk: Uint8Array) => (said.text += decoder.decode(chunk, { stream: true })));
  return said;
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Sends its input back, and ends with the first byte after that many. Podman loses output just before the end of a program. */
const ECHO = (size: number): string => `let left = ${size};
  process.stdin.on('data', (chunk) => (left === 0 ? process.exit(7) : process.stdout.write(chunk, () => (left -= chunk.length))));`;

export function describeExec({ start, closesInput }: ExecSetup): void {
  it('have separate outputs and an exit code', async () => {
    const script = "console.log('out'); console.error('err'); process.exitCode = 3;";
    assert.deepEqual(await resultOf(await start('node'), ['/usr/bin/node', '-e', script]), {
      ...{ out: 'out\n', err: 'err\n', code: 3 },
    });
  });

  it('receive and send 10 MB of any bytes unchanged, without a terminal', async () => {
    const sent = randomBytes(10 * MB);
    const session = await exec(await start('node'), { command: ['/usr/bin/node', '-e', ECHO(sent.length)] });
    session.stderr.resume();
    session.stdin.write(sent);
    const chunks: Buffer[] = [];
    let size = 0;
    session.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if ((size += chunk.length) === sent.length) session.stdin.write('x');
    });
    assert.equal(await session.exited, 7);
    const received = Buffer.concat(chunks);
    assert.equal(received.length, sent.length);
    assert.equal(digestOf(received), digestOf(sent));
  });

  it('print characters whose bytes arrive in parts', async () => {
    const script =
      "const b = Buffer.from('工作器 ✓'); let n = 0; const t = setInterval(() => { process.stdout.write(b.subarray(n, ++n)); if (n === b.length) clearInterval(t); }, 5);";
    const session = await exec(await start('node'), { command: ['/usr/bin/node', '-e', script] });
    session.stderr.resume();
    const said = textOf(session);
    assert.equal(await session.exited, 0);
    await eventually('all was read', () => said.text === '工作器 ✓');
  });

  it('cannot be started if the image does not contain them', async () => {
    for (const image of ['node', 'shell'] as const) {
      const worker = await start(image);
      for (const terminal of [undefined, { columns: 80, rows: 24 }]) {
        await assert.rejects(
          exec(worker, { command: ['no-such-program', 'x'], terminal }),
          (error) => error instanceof ExecError && error.problem === 'noProgram',
        );
      }
    }
  });

  it('may end with the codes of a failed start', async () => {
    const worker = await start('shell');
    for (const code of [126, 127]) {
      const { out, code: found } = await resultOf(worker, ['sh', '-c', `echo up; exit ${code}`]);
      assert.deepEqual([out, found], ['up\n', code]);
    }
  });

  it('have a terminal of the given size, which can change, and see Ctrl+C', async () => {
    const terminal = { columns: 93, rows: 31 };
    const session = await exec(await start('shell'), { command: ['sh'], terminal });
    const said = textOf(session);
    // A cluster sets the size some time after the start.
    const untilSize = (size: string): string => `until [ "$(stty size)" = "${size}" ]; do sleep 0.1; done;`;
    session.stdin.write(`${untilSize('31 93')} echo fir''st $TERM\n`);
    await eventually('the size is set', () => said.text.includes('first xterm-256color\r\n'));
    await session.resize({ columns: 120, rows: 40 });
    session.stdin.write(`${untilSize('40 120')} echo seco''nd; sleep 1000\n`);
    await eventually('the new size is set', () => said.text.includes('second\r\n'));
    session.stdin.write('\x03');
    session.stdin.write("echo aft''er-$?\n");
    await eventually('the shell runs the next command', () => said.text.includes('after-130'));
    session.stdin.write('exit 5\n');
    assert.equal(await session.exited, 5);
  });

  it('see the end of their input', async () => {
    const worker = await start('shell');
    const terminal = { columns: 80, rows: 24 };
    const shell = await exec(worker, { command: ['sh'], terminal });
    shell.stdout.resume();
    shell.stdin.end('echo up\n');
    assert.equal(await shell.exited, 0);
    if (!closesInput) return;
    const cat = await exec(worker, { command: ['cat'] });
    cat.stderr.resume();
    cat.stdin.end('all of it');
    assert.equal((await bytesOf(cat.stdout)).toString(), 'all of it');
    assert.equal(await cat.exited, 0);
  });

  it('are killed with their descendants once their signal is aborted', async () => {
    const worker = await start('shell');
    const count = async () =>
      (await resultOf(worker, ['sh', '-c', 'grep -l "slee[p]" /proc/[0-9]*/cmdline | grep -c .'])).out.trim();
    for (const terminal of [undefined, { columns: 80, rows: 24 }]) {
      const controller = new AbortController();
      const command = ['sh', '-c', 'sleep 1001 & sleep 1002 & echo up; exec sleep 1003'];
      const session = await exec(worker, { command, terminal }, controller.signal);
      const said = textOf(session);
      await eventually('the program is up', () => said.text.includes('up'));
      controller.abort(new Error('enough'));
      assert.equal(await session.exited, undefined);
      await eventually('no process is left', async () => (await count()) === '0');
    }
  });

  it('reject with the reason of a signal that is already aborted', async () => {
    const worker = await start('node');
    const reason = new Error('enough');
    await assert.rejects(exec(worker, { command: ['/usr/bin/node'] }, AbortSignal.abort(reason)), reason);
  });

  it('end with the worker, and cannot be started after it', async () => {
    const worker = await start('shell');
    const session = await exec(worker, { command: ['sleep', '1000'] });
    session.stdout.resume();
    session.stderr.resume();
    await worker.stop(0);
    await session.exited;
    await assert.rejects(
      exec(worker, { command: ['sleep', '1'] }),
      (error) => error instanceof ExecError && error.problem === 'ended',
    );
  });

  it('stop printing while nothing reads their output', async () => {
    const command = ['/usr/bin/node', '-e', "for (;;) require('fs').writeSync(1, Buffer.alloc(65536))"];
    const controller = new AbortController();
    const session = await exec(await start('node'), { command }, controller.signal);
    session.stderr.resume();
    let size = 0;
    for await (const chunk of session.stdout as AsyncIterable<Buffer>) if ((size += chunk.length) > MB) break;
    assert.ok(session.stdout.readableLength < MB);
    controller.abort();
    assert.equal(await session.exited, undefined);
  });
}
