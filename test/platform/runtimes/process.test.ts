import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { newToken } from '../../../src/platform/ids.ts';
import { processHandles } from '../../../src/platform/runtimes/process/startedProcess.ts';
import { processRuntime } from '../../../src/platform/runtimes/process/process.ts';
import type { Limiter } from '../../../src/platform/runtimes/process/runMark.ts';
import type { RunSpec } from '../../../src/platform/runtimes/runSpec.ts';
import { systemClock } from '../../../src/platform/time/clock.ts';
import { processStart } from '../../../src/machine/processTable.ts';
import { countPerTurn } from '../../support/countPerTurn.ts';
import { afterwards, cleanUp, dataDirectory, eventually } from '../support.ts';
import { runtimeConformance } from './conformance.ts';

const ENV = { PATH: process.env['PATH'] ?? '' };

runtimeConformance('host processes', {
  open: () => processRuntime(systemClock),
  program: async (script) => ({
    ...{ image: `process:${await dataDirectory()}`, env: ENV },
    ...{ entrypoint: [process.execPath], cmd: ['-e', script] },
  }),
  failures: {
    'an unknown program': {
      changes: { entrypoint: ['no-such-program'] },
      message: /^command not found: no-such-program\. Install it/,
    },
    'a program path that does not exist': {
      changes: { entrypoint: ['./no-such-program'] },
      message: /^command not found/,
    },
    'a missing command': { changes: { entrypoint: [], cmd: [] }, message: /^no command: .* args, entrypoint, or cmd$/ },
    'a missing directory': {
      changes: { image: `process:${path.join(os.tmpdir(), 'no', 'such')}` },
      message: /^the worker's directory .* does not exist$/,
    },
    'a relative directory': { changes: { image: 'process:here' }, message: /must be an absolute path$/ },
    'an image that needs an engine': { changes: { image: 'example/image:1' }, message: /needs a container engine/ },
    'an argument with a null byte': { changes: { cmd: ['a\0b'] }, message: /contains a null byte\. Remove it\.$/ },
    'a variable with a null byte': {
      changes: { env: { ...ENV, NAME: 'a\0b' } },
      message: /contains a null byte\. Remove it\.$/,
    },
  },
  handlesExitRequests: process.platform !== 'win32',
  findsOrphans: ({ linux: 'all', darwin: 'started' } as const)[process.platform as string] ?? 'none',
});

/** Starts a process that leaves its process group, as daemons and some supervisors do, and prints its PID. */
const LEAVES_A_DAEMON = `
  const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], {
    detached: true, stdio: 'inherit',
  });
  console.log(pid);
`;
const STAYS = 'setInterval(() => {}, 60_000);';

describe('processRuntime', () => {
  afterEach(cleanUp);

  async function start(
    changes: Partial<RunSpec>,
    limiter?: Promise<Limiter>,
    runtime = processRuntime(systemClock, { limiter }),
    onChunk = (): void => undefined,
  ) {
    let said = '';
    const spec: RunSpec = {
      labels: { owner: 'o', endpointId: 'e', workerId: 'w', runId: newToken() },
      protocol: { url: 'http://127.0.0.1:1', token: 't' },
      image: `process:${await dataDirectory()}`,
      ...{ entrypoint: [process.execPath], cmd: [], env: ENV, mounts: [], ports: [], resources: { gpus: 0 } },
      ...changes,
    };
    const running = await runtime.start(spec, {
      onProgress: () => assert.fail('a process reports no progress'),
      onOutput: (_, chunk) => {
        said += Buffer.from(chunk).toString();
        onChunk();
      },
      onImage: () => assert.fail('a process has no image'),
      onReachable: () => assert.fail('a process needs no engine'),
      signal: new AbortController().signal,
    });
    afterwards(() => running.stop(0));
    return { running, runId: spec.labels.runId, said: () => said };
  }

  async function startDaemon(script: string, limiter?: Promise<Limiter>) {
    const { running, said } = await start({ cmd: ['-e', script] }, limiter);
    const daemon = await eventually(
      "the worker prints its daemon's PID",
      () => said().includes('\n') && Number(said()),
    );
    return { running, daemon };
  }

  /** Waits until a process has ended, even if it has not been reaped yet. */
  const hasEnded = (pid: number) =>
    eventually(`process ${pid} has ended`, async () => (await processStart(pid)) === undefined);

  describe('workers that start daemons', () => {
    before(function () {
      // Other systems cannot identify a process that has left its group.
      if (process.platform !== 'linux') this.skip();
    });

    it('stops descendants that have left the process group of the worker', async () => {
      const { running, daemon } = await startDaemon(LEAVES_A_DAEMON + STAYS);
      await running.stop(500);
      await hasEnded(daemon);
    });

    it('ends descendants of a worker that exits on its own', async () => {
      const { running, daemon } = await startDaemon(`${LEAVES_A_DAEMON} process.exit(0);`);
      assert.deepEqual(await running.exited, { code: 0, signal: null });
      await hasEnded(daemon);
    });

    for (const [limiter, tool] of [
      [{ prlimit: '/usr/bin/prlimit' }, 'prlimit'],
      [{ shell: '/bin/sh' }, 'only a shell'],
    ] as const) {
      it(`stops a daemon with a different environment, on a machine with ${tool}`, async () => {
        const script = LEAVES_A_DAEMON.replace("stdio: 'inherit'", "stdio: 'ignore', env: {}");
        const { running, daemon } = await startDaemon(script + STAYS, Promise.resolve(limiter));
        await running.stop(500);
        await hasEnded(daemon);
      });
    }
  });

  it('starts workers with their command line, and passes on only selected variables of the platform', async () => {
    process.env['SECRET_OF_THE_PLATFORM'] = 'hush';
    afterwards(() => Promise.resolve(delete process.env['SECRET_OF_THE_PLATFORM']));
    const script = 'console.log(JSON.stringify([process.argv0, process.argv.slice(1), process.env]))';
    const { running, said } = await start({
      entrypoint: ['node', '-e', script],
      cmd: ['--', '-x', 'two words', '$HOME'],
      env: { PATH: path.dirname(process.execPath), 'dotted.name': 'kept' },
      mounts: [{ directory: '/volumes/v', path: '/mnt' }],
    });
    await running.exited;
    const [name, args, env] = JSON.parse(said()) as [string, string[], Record<string, string>];
    assert.equal(name, 'node');
    assert.deepEqual(args, ['-x', 'two words', '$HOME']);
    assert.equal(env['dotted.name'], 'kept');
    assert.equal(env['CLOUD_COMPUTE_VOLUME'], '/volumes/v');
    assert.equal(env['HOME'], process.env['HOME']);
    assert.equal(env['SECRET_OF_THE_PLATFORM'], undefined);
  });

  it('labels workers with their PIDs', async () => {
    const { running, said } = await start({ cmd: ['-e', 'console.log(process.pid)'] });
    await running.exited;
    assert.equal(running.label, `process ${said().trim()}`);
  });

  it('reports files that are not executable', async () => {
    const plain = path.join(await dataDirectory(), 'plain');
    await writeFile(plain, 'no program');
    await assert.rejects(start({ entrypoint: [plain] }), /is not executable\. Make it executable\.$/);
    const image = `process:${path.dirname(plain)}`;
    await assert.rejects(start({ image, entrypoint: ['./plain'] }), /is not executable/);
    await assert.rejects(start({ image: `process:${plain}` }), /is not a directory$/);
  });

  it('reports the cause by the error code, regardless of the name of the program', async () => {
    const plain = path.join(await dataDirectory(), 'ENOENT');
    await writeFile(plain, 'no program');
    await assert.rejects(start({ entrypoint: [plain] }), /is not executable\. Make it executable\.$/);
  });

  it('starts at most one process in a turn of the event loop', async () => {
    const runtime = processRuntime(systemClock);
    // Loads what a first start loads.
    await start({ cmd: ['-e', ''] }, undefined, runtime);
    let turn = 0;
    const next = (): NodeJS.Immediate =>
      setImmediate(() => {
        turn++;
        immediate = next();
      });
    let immediate = next();
    const turns: number[] = [];
    const onSpawn = (): void => void turns.push(turn);
    subscribe('child_process', onSpawn);
    try {
      await Promise.all(Array.from({ length: 10 }, () => start({ cmd: ['-e', ''] }, undefined, runtime)));
    } finally {
      unsubscribe('child_process', onSpawn);
      clearImmediate(immediate);
    }
    assert.deepEqual([turns.length, new Set(turns).size], [10, 10]);
  });

  it('delivers the output of many processes in a bounded number of chunks per turn, and all of it before they end', async function () {
    if (process.platform === 'win32') this.skip();
    const directory = await dataDirectory();
    const runtime = processRuntime(systemClock);
    const turns = countPerTurn();
    const script = 'while [ ! -e go ]; do sleep 0.05; done; echo written; : > done.$$';
    const changes = { image: `process:${directory}`, entrypoint: ['sh', '-c', script], cmd: [] };
    const processes = await Promise.all(
      Array.from({ length: 60 }, () => start(changes, undefined, runtime, turns.count)),
    );
    await writeFile(path.join(directory, 'go'), '');
    // Blocks the event loop, so that all chunks can be read in its next turn.
    while (readdirSync(directory).length < 61) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    await Promise.all(processes.map(({ running }) => running.exited));
    for (const { said } of processes) assert.equal(said(), 'written\n');
    assert.ok(turns.most() <= 16, `${turns.most()} chunks in one turn`);
  });

  it('rejects a handle whose PID does not identify one process', () => {
    const handle = { runtime: 'process', runId: 'r', processStart: 'then' };
    assert.deepEqual(processHandles([{ ...handle, pid: 7 }]), [{ ...handle, pid: 7 }]);
    for (const pid of [-1, 0, 1.5, 2 ** 31, '7', null]) assert.deepEqual(processHandles([{ ...handle, pid }]), []);
  });
});
