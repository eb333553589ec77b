import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../../src/platform/time/clock.ts';
import type { Limiter } from '../../../src/platform/runtimes/process/runMark.ts';
import { processRuntime } from '../../../src/platform/runtimes/process/process.ts';
import { processStart } from '../../../src/machine/processTable.ts';
import { cleanUp, dataDirectory, eventually } from '../support.ts';

/** Starts a process that leaves its group, as daemons and some supervisors do, and prints its PID. */
const LEAVES_A_DAEMON = `
  const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], {
    detached: true, stdio: 'inherit',
  });
  console.log(pid);
`;
const STAYS = 'setInterval(() => {}, 60_000);';

describe('Worker processes', () => {
  afterEach(cleanUp);

  async function start(script: string, limiter?: Promise<Limiter>) {
    const image = `process:${await dataDirectory()}`;
    const env = { PATH: process.env['PATH'] ?? '' };
    let said = '';
    const running = await processRuntime(systemClock, limiter).start(
      { image, entrypoint: [process.execPath], cmd: ['-e', script], env },
      `test-${process.pid}-${Date.now()}`,
      (_, chunk) => (said += Buffer.from(chunk).toString()),
    );
    const daemon = await eventually("it prints its daemon's PID", () => said.includes('\n') && Number(said));
    return { running, daemon };
  }

  /** Waits until a process has ended, even if it has not been reaped yet. */
  const hasEnded = (pid: number) =>
    eventually(`process ${pid} has ended`, async () => (await processStart(pid)) === undefined);

  before(function () {
    // Other systems cannot identify a process that has left its group.
    if (process.platform !== 'linux') this.skip();
  });

  it('are stopped together with descendants that have left their group', async () => {
    const { running, daemon } = await start(LEAVES_A_DAEMON + STAYS);
    await running.stop(500);
    await hasEnded(daemon);
  });

  it('leave no descendants behind when they exit on their own', async () => {
    const { running, daemon } = await start(`${LEAVES_A_DAEMON} process.exit(0);`);
    assert.deepEqual(await running.exited, { code: 0, signal: null });
    await hasEnded(daemon);
  });

  for (const [limiter, tool] of [
    [{ prlimit: '/usr/bin/prlimit' }, 'prlimit'],
    [{ shell: '/bin/sh' }, 'the shell alone'],
  ] as const) {
    it(`are stopped together with a daemon that has another environment, on a machine with ${tool}`, async () => {
      const script = LEAVES_A_DAEMON.replace("stdio: 'inherit'", "stdio: 'ignore', env: {}");
      const { running, daemon } = await start(script + STAYS, Promise.resolve(limiter));
      await running.stop(500);
      await hasEnded(daemon);
    });
  }

  it('run with the given environment, arguments and name', async () => {
    const image = `process:${await dataDirectory()}`;
    let said = '';
    const script = 'console.log(JSON.stringify([process.argv0, process.argv.slice(1), process.env]))';
    const running = await processRuntime(systemClock).start(
      {
        image,
        entrypoint: ['node', '-e', script],
        cmd: ['--', '-x', 'two words', '$HOME'],
        env: { PATH: path.dirname(process.execPath), 'dotted.name': 'kept' },
      },
      'test-run',
      (_, chunk) => (said += Buffer.from(chunk).toString()),
    );
    await running.exited;
    const [name, args, env] = JSON.parse(said) as [string, string[], Record<string, string>];
    assert.equal(name, 'node');
    assert.deepEqual(args, ['-x', 'two words', '$HOME']);
    assert.deepEqual(Object.keys(env).sort(), ['CLOUD_COMPUTE_RUN', 'PATH', 'PWD', 'dotted.name']);
  });

  it('report why they cannot be started', async () => {
    const directory = await dataDirectory();
    const plain = path.join(directory, 'plain');
    await writeFile(plain, 'no program');
    const start = (file: string): Promise<unknown> =>
      processRuntime(systemClock).start(
        { image: `process:${directory}`, entrypoint: [file], cmd: [], env: { PATH: process.env['PATH'] ?? '' } },
        'test-run',
        () => undefined,
      );
    await assert.rejects(start('no-such-program'), /command not found: no-such-program/);
    await assert.rejects(start('./no-such-program'), /command not found/);
    await assert.rejects(start(plain), /may not be executed/);
    await assert.rejects(start('./plain'), /may not be executed/);
  });
});
