import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { debugWorker } from '../../../src/client/controlEvents.ts';
import { WorkerHold } from '../../../src/features/local/develop/actions/holdWorker.ts';
import { exceptionArguments } from '../../../src/features/local/develop/model/exceptionBreakpoints.ts';
import type { JobInput } from '../../../src/contract/job.ts';
import { parseWorkerError } from '../../../src/contract/workerError.ts';
import { connectToAdapter, type DebugAdapter } from '../../platform/debugAdapter.ts';
import { cleanUp, eventually } from '../../platform/support.ts';
import { errorSummary } from '../../../src/features/replay/model/comparison.ts';
import { ReplayError } from '../../../src/features/replay/actions/replayError.ts';
import type { ReplayResult, ReplayStep } from '../../../src/features/replay/actions/replayJob.ts';
import { leftovers, NODE_WORKER, PYTHON_WORKER, ReplayWorld } from './world.ts';

/** debugpy of Debian, for the Python of Debian. */
const DEBUGPY = '/usr/lib/python3/dist-packages/debugpy';
/** Line of the worker that calls the handler, and catches its errors. */
const CALLER = 'result = {"output": handler(job)}';
const SECRET = 'sk-live-4242-the-secret-of-production';
const LOCAL_SECRET = 'local-value-9f8e7d6c5b4a';

function ended(result: ReplayResult) {
  assert.equal(result.kind, 'ended', JSON.stringify(result));
  return result;
}

/** Returns a digest of the names, contents, and modes of all files of a directory. */
async function digestOf(directory: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(directory, { recursive: true })).sort()) {
    const file = path.join(directory, name);
    const { mode, mtimeMs } = await stat(file);
    hash.update(`${name} ${mode} ${mtimeMs}\n`);
    if ((await stat(file)).isFile()) hash.update(await readFile(file));
  }
  return hash.digest('hex');
}

describe('A replay of a job', () => {
  let before: readonly string[];

  beforeEach(async () => {
    before = await leftovers();
  });

  afterEach(async () => {
    await cleanUp();
    assert.deepEqual(await leftovers(), before);
  });

  it('reproduces the error of a worker of Node.js, and names its place', async () => {
    const world = await ReplayWorld.create({ 'handler.mjs': NODE_WORKER });
    const { id } = await world.createNode();
    const subject = await world.run(id, {});
    const { job, comparison, log } = ended(await world.replay(subject, id));
    assert.deepEqual([job.status, comparison], ['FAILED', { verdict: 'same', differences: [] }]);
    assert.equal(errorSummary(job, world.worker), 'TypeError: no text in the input at handler.mjs:5');
    assert.ok(log.length > 0);
    // The platform of the user has only its own job.
    const { jobs } = await world.client.getEndpointHealth({ endpointId: id });
    assert.equal(jobs.failed, 1);
  });

  it('reproduces the error of a worker of Python, and names its place', async () => {
    const world = await ReplayWorld.create({ 'handler.py': PYTHON_WORKER });
    const { id } = await world.createNode({ cmd: ['python3', 'handler.py'] });
    const subject = await world.run(id, { name: 'x' });
    const { job, comparison } = ended(await world.replay(subject, id));
    assert.equal(comparison.verdict, 'same');
    assert.equal(errorSummary(job, world.worker), "KeyError: 'text' at handler.py:4");
  });

  describe('stops the debugger of Python at the line that raises the error', function () {
    beforeEach(function () {
      if (!existsSync(DEBUGPY)) this.skip();
    });

    /** Replays a failed job of a worker with this handler under the debugger. Returns the texts of the lines at which it stops. */
    async function stopsOf(handler: string, input: JobInput): Promise<readonly string[]> {
      const source = PYTHON_WORKER.replace('    return {"text": job["input"]["text"].upper()}', handler);
      const lines = source.split('\n');
      const world = await ReplayWorld.create({ 'handler.py': source });
      const { id } = await world.createNode({ cmd: ['/usr/bin/python3', 'handler.py'] });
      const subject = await world.run(id, input);
      assert.equal(subject.recorded.result.status, 'FAILED');
      const held = new AbortController();
      const attached = Promise.withResolvers<DebugAdapter>();
      const replaying = world.replay(subject, id, {
        debug: async ({ client, endpointId }, signal) => {
          const { ready } = await WorkerHold.begin(
            (body, ending) => debugWorker(client.context, endpointId, body, AbortSignal.any([ending, held.signal])),
            { debugpy: DEBUGPY },
            { clock: client.context.clock, signal },
          );
          const adapter = await connectToAdapter(ready.port ?? 0);
          await adapter.attachToExceptions(
            exceptionArguments('python', parseWorkerError(subject.recorded.result.error)),
          );
          attached.resolve(adapter);
        },
      });
      const adapter = await attached.promise;
      const stops: string[] = [];
      const over = replaying.then(() => undefined);
      for (;;) {
        const line = await Promise.race([adapter.stoppedAt(), over]);
        if (line === undefined) break;
        stops.push(lines[line - 1]?.trim() ?? '');
        await adapter.resume();
      }
      assert.equal(ended(await replaying).comparison.verdict, 'same');
      held.abort();
      return stops;
    }

    it('of a built-in type, also if the worker catches it, and not at others that the handler catches', async () => {
      const handler = `    try:
        int("x")
    except ValueError:
        pass
    return {"text": job["input"]["text"].upper()}`;
      assert.deepEqual(await stopsOf(handler, {}), ['return {"text": job["input"]["text"].upper()}', CALLER]);
    });

    it('of a type of the worker', async () => {
      const handler = `    class BadInput(Exception): pass
    if "text" not in job["input"]:
        raise BadInput("no text")`;
      assert.deepEqual(await stopsOf(handler, {}), ['raise BadInput("no text")', CALLER]);
    });

    it('of a function that the handler calls, and then in each function that the error passes', async () => {
      const handler = `    def read(values):
        return values["text"]
    return read(job["input"])`;
      assert.deepEqual(await stopsOf(handler, {}), ['return values["text"]', 'return read(job["input"])', CALLER]);
    });

    it('of a library, at the line of the handler that calls it', async () => {
      const quantize = 'return str(Decimal("1").quantize(Decimal("1"), rounding="no such mode"))';
      const handler = `    from decimal import Decimal\n    ${quantize}`;
      assert.deepEqual(await stopsOf(handler, {}), [quantize, CALLER]);
    });
  });

  it('finds that a job with an output has the same one, and that a changed worker has another one', async () => {
    const world = await ReplayWorld.create({ 'handler.mjs': NODE_WORKER });
    const { id } = await world.createNode();
    const subject = await world.run(id, { text: 'a' }, { executionTimeout: 20_000 });
    assert.equal(ended(await world.replay(subject, id)).comparison.verdict, 'same');
    await writeFile(path.join(world.worker, 'handler.mjs'), NODE_WORKER.replace('toUpperCase', 'trim'));
    const { comparison } = ended(await world.replay(subject, id));
    assert.deepEqual(comparison, {
      verdict: 'different',
      differences: [{ code: 'output', path: ['output', 'text'], recorded: 'A', replayed: 'a' }],
    });
  });

  it('reproduces an error that only a fault causes, and not without it', async () => {
    const world = await ReplayWorld.create({
      'handler.mjs': NODE_WORKER.replace(
        'if (input.text',
        `const response = await fetch(new URL('/v2/templates', process.env.RUNPOD_WEBHOOK_GET_JOB));
  if (response.status === 503) throw new Error('the platform is unavailable');
  if (input.text`,
      ),
    });
    const { id } = await world.createNode();
    await world.control.addFault({ body: { operation: 'listTemplates', status: 503, when: 'before', rate: 1 } });
    const subject = await world.run(id, { text: 'a' });
    assert.equal(subject.recorded.result.status, 'FAILED');
    assert.equal(ended(await world.replay(subject, id)).comparison.verdict, 'same');
    const { local: _, ...recorded } = subject.recorded;
    const { comparison, job } = ended(await world.replay({ recorded }, id));
    assert.deepEqual([comparison.verdict, job.status], ['different', 'COMPLETED']);
  });

  it('sets the clock of its own platform to the recorded offset, also with faults in all operations', async () => {
    const world = await ReplayWorld.create({ 'handler.mjs': NODE_WORKER });
    const { id } = await world.createNode();
    await world.control.setClock({ body: { advanceMs: 86_400_000 } });
    const subject = await world.run(id, { text: 'a' });
    const faults = [{ id: 'f', hits: 2, operation: '*', when: 'before', status: 500, rate: 1 }];
    const recorded = { ...subject.recorded, local: { clockOffsetMs: 86_400_000, faults } };
    let aheadMs = 0;
    const result = await world.replay({ recorded }, id, {
      debug: async ({ control }) => {
        ({ aheadMs } = await control.getClock({}));
        assert.equal((await control.listFaults({})).faults.length, 1);
      },
    });
    assert.ok(Math.abs(aheadMs - 86_400_000) < 600_000);
    assert.equal(ended(result).comparison.verdict, 'same');
  });

  it('works with a copy of the volume, and leaves the original untouched', async () => {
    const world = await ReplayWorld.create({
      'handler.mjs': `import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
${NODE_WORKER.replace(
  'if (input.print)',
  `const volume = process.env.CLOUD_COMPUTE_VOLUME;
  const model = await readFile(path.join(volume, 'models', 'model.txt'), 'utf8');
  await appendFile(path.join(volume, 'absolute'), ' changed');
  await writeFile(path.join(volume, 'new'), 'new');
  if (input.model) throw new Error('model ' + model);
  if (input.print)`,
)}`,
    });
    const volume = await world.client.createNetworkVolume({
      body: { name: 'models', size: 10, dataCenter: 'EU-RO-1' },
    });
    const directory = path.join(world.dataDir, 'volumes', volume.id);
    await mkdir(path.join(directory, 'models'), { recursive: true });
    await writeFile(path.join(directory, 'models', 'model.txt'), 'one');
    await writeFile(path.join(directory, 'run.sh'), '#!/bin/sh');
    await chmod(path.join(directory, 'run.sh'), 0o755);
    await symlink(path.join(directory, 'models', 'model.txt'), path.join(directory, 'absolute'));
    const { id } = await world.createNode({ mounts: { network: [{ volumeId: volume.id, path: '/data' }] } });
    const subject = await world.run(id, { model: true });
    await writeFile(path.join(directory, 'models', 'model.txt'), 'one');
    await rm(path.join(directory, 'new'));
    const original = await digestOf(directory);
    const planned = { id: volume.id, path: '/data', directory, bytes: undefined };
    const { comparison } = ended(await world.replay(subject, id, { volume: planned }));
    assert.equal(comparison.verdict, 'same');
    assert.equal(await digestOf(directory), original);
    const empty = ended(await world.replay(subject, id, { volume: { ...planned, directory: undefined } }));
    assert.equal(empty.comparison.verdict, 'different');
    await assert.rejects(
      world.replay(subject, id, { volume: { ...planned, directory: path.join(directory, 'gone') } }),
      (error) => error instanceof ReplayError && error.code === 'volumeUnreadable',
    );
  });

  it('uses no secret of the platform, and shows no value that it was given', async () => {
    const world = await ReplayWorld.create({ 'handler.mjs': NODE_WORKER });
    const { id } = await world.createNode({ env: { API_KEY: SECRET, MODE: 'test' } });
    const { recorded } = await world.run(id, { key: true, print: true });
    assert.deepEqual(recorded.worker.environment, ['API_KEY', 'MODE']);
    const output = { key: '…' };
    const subject = { recorded: { ...recorded, result: { ...recorded.result, output } } };
    const values = { get: (name: string) => Promise.resolve(name === 'API_KEY' ? LOCAL_SECRET : undefined) };
    const written: string[] = [];
    const result = await world.replay(subject, id, {
      values,
      debug: async () => {
        for (const name of await leftovers())
          if (!before.includes(name)) written.push(await contentsOf(path.join(os.tmpdir(), name)));
      },
    });
    const { job, comparison, log } = ended(result);
    assert.deepEqual([job.output, comparison.verdict], [output, 'same']);
    assert.ok(log.some((line) => line.includes('key:')));
    for (const text of [JSON.stringify(result), ...written]) {
      assert.ok(!text.includes(LOCAL_SECRET));
      assert.ok(!text.includes(SECRET));
    }
    const without = ended(await world.replay(subject, id));
    assert.equal(JSON.stringify(without.job.output), '{}');
  });

  it('tells that the worker cannot start, because its program or its image is gone', async () => {
    const world = await ReplayWorld.create({ 'handler.mjs': NODE_WORKER });
    const { id } = await world.createNode();
    const subject = await world.run(id, {});
    const gone = await world.replay(subject, id, { settings: { cmd: ['no-such-program'] } });
    assert.equal(gone.kind, 'notStarted');
    assert.match(gone.reason, /no-such-program/);
    const { recorded } = subject;
    const worker = { ...recorded.worker, image: 'registry.invalid/hello:1', digest: `sha256:${'0'.repeat(64)}` };
    const unavailable = await world.replay({ recorded: { ...recorded, worker } }, id, {
      settings: { image: 'registry.invalid/hello:1' },
    });
    assert.equal(unavailable.kind, 'notStarted');
  });

  it('ends after its time limit, and with the platform that cannot start', async () => {
    const world = await ReplayWorld.create({
      'handler.mjs': NODE_WORKER.replace('if (input.print)', 'await new Promise(() => undefined);\n  if (input.print)'),
    });
    const { id } = await world.createNode({ timeout: 1_000 });
    const subject = await world.run(id, {});
    assert.equal(subject.recorded.result.status, 'TIMED_OUT');
    assert.equal(ended(await world.replay(subject, id)).comparison.verdict, 'same');
    const endless = await world.replay(subject, id, { settings: { timeout: 600_000 }, limitMs: 2_000 });
    assert.deepEqual([endless.kind, endless.kind === 'neverEnded' && endless.limitMs], ['neverEnded', 2_000]);
    await assert.rejects(
      world.replay(subject, id, { launch: { script: platformOf(world), flags: [] } }),
      (error) => error instanceof ReplayError && error.code === 'platform',
    );
  });

  for (const step of ['start', 'copy', 'create', 'debug', 'run'] as const satisfies readonly ReplayStep[]) {
    it(`leaves nothing when it is canceled at the step ${step}`, async () => {
      const world = await ReplayWorld.create({
        'handler.mjs': NODE_WORKER.replace(
          'if (input.print)',
          'await new Promise(() => undefined);\n  if (input.print)',
        ),
      });
      const { id } = await world.createNode({ timeout: 500 });
      const subject = await world.run(id, {});
      const directory = path.join(world.worker, 'volume');
      await mkdir(directory);
      const stop = new AbortController();
      let pid: number | undefined;
      const replaying = world.replay(subject, id, {
        ...{ signal: stop.signal, volume: { id: 'v', path: '/data', directory, bytes: 0 } },
        settings: { timeout: 60_000 },
        debug: async ({ client, control, endpointId }) => {
          pid = (await control.getIdentity({ query: { challenge: 'a-challenge-of-the-test' } })).pid;
          if (step === 'run') await client.updateEndpoint({ id: endpointId, body: { workers: { min: 1 } } });
        },
        onStep: (reached) => {
          if (reached === step) stop.abort();
        },
      });
      await assert.rejects(replaying, (error) => error === stop.signal.reason);
      if (pid !== undefined) await eventually('the platform has ended', () => !isAlive(pid ?? 0));
    });
  }
});

const platformOf = (world: ReplayWorld): string => path.join(world.worker, 'handler.mjs');

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function contentsOf(directory: string): Promise<string> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(path.join(parentPath, name), 'latin1')));
  return [...files.map(({ name }) => name), ...texts].join('\n');
}
