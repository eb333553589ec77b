import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock, type Clock } from '../../../src/platform/time/clock.ts';
import { EDIT_TIME_LIMIT_MS, EditThread } from '../../../src/platform/images/editThread.ts';
import { EditError } from '../../../src/platform/images/picture.ts';
import { afterwards, cleanUp } from '../support.ts';
import { gradient, pngOf } from './support.ts';

const request = {
  image: pngOf(gradient(20, 20)),
  prompt: 'blur',
  negativePrompt: undefined,
  seed: 1,
  format: 'png',
} as const;
const signal = new AbortController().signal;

/** A clock whose only timer is the limit of an edit, which expires at once. */
const expiringClock: Clock = {
  now: () => 0,
  after: (ms, callback) => (ms === EDIT_TIME_LIMIT_MS ? systemClock.after(0, callback) : () => undefined),
};

function thread(clock: Clock = systemClock, entry?: URL, processorTime = exhaustedCpuTime()): EditThread {
  const made = new EditThread(clock, entry && { entry, memoryMb: 32, processorTime });
  afterwards(() => made.close());
  return made;
}

/** Simulates a CPU time that grows by the whole limit with each call. */
function exhaustedCpuTime(): () => Promise<number> {
  let worked = 0;
  return () => Promise.resolve((worked += EDIT_TIME_LIMIT_MS));
}

/** Writes the entry point of a thread that runs this code. */
async function entryOf(code: string): Promise<URL> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-thread-'));
  afterwards(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'thread.mjs');
  await writeFile(file, `import { parentPort } from 'node:worker_threads';\n${code}`);
  return pathToFileURL(file);
}

describe('EditThread', () => {
  afterEach(cleanUp);

  it('edits one image after another, even after a failure', async () => {
    const worker = thread();
    const first = await worker.run(request, signal);
    await assert.rejects(worker.run({ ...request, image: Buffer.from('no image') }, signal), EditError);
    assert.deepEqual(await worker.run(request, signal), first);
  });

  it('ends a thread that exceeds the time limit, and starts a new one', async () => {
    const endless = await entryOf(`parentPort.on('message', () => { for (;;); });`);
    const worker = thread(expiringClock, endless);
    for (let time = 0; time < 2; time++) await assert.rejects(worker.run(request, signal), /longer than 60 s/);
  });

  it('does not count time that other programs use', async () => {
    // CPU time at the start, and then at each check.
    const worked = [5_000, 15_000, 40_000, 64_999, 65_000];
    let asked = 0;
    const impatient: Clock = { now: () => 0, after: (_ms, callback) => systemClock.after(0, callback) };
    const endless = await entryOf(`parentPort.on('message', () => { for (;;); });`);
    const worker = thread(impatient, endless, () => Promise.resolve(worked[asked++] ?? Infinity));
    await assert.rejects(worker.run(request, signal), /longer than 60 s/);
    assert.equal(asked, worked.length);
  });

  it('keeps running below the CPU time limit, however often it is checked', async () => {
    const busy = await entryOf(`
      parentPort.on('message', () => {
        const before = process.threadCpuUsage();
        while (process.threadCpuUsage(before).user < 200_000);
        parentPort.postMessage({ editError: 'it has worked' });
      });`);
    let looks = 0;
    const impatient: Clock = {
      now: () => 0,
      after: (_ms, callback) =>
        systemClock.after(0, () => {
          looks++;
          callback();
        }),
    };
    const worker = new EditThread(impatient, { entry: busy });
    afterwards(() => worker.close());
    await assert.rejects(worker.run(request, signal), /it has worked/);
    assert.ok(looks > 1);
  });

  it('ends the thread when the caller aborts', async () => {
    const worker = thread(systemClock, await entryOf(`parentPort.on('message', () => { for (;;); });`));
    const abort = new AbortController();
    const running = worker.run(request, abort.signal);
    abort.abort(new Error('aborted by the test'));
    await assert.rejects(running, /aborted by the test/);
    await assert.rejects(worker.run(request, abort.signal), /aborted by the test/);
  });

  it('enforces the memory limit', async () => {
    const hoarding = await entryOf(`parentPort.on('message', () => { const all = []; for (;;) all.push({ all }); });`);
    await assert.rejects(thread(systemClock, hoarding).run(request, signal), /more memory than is available/);
  });

  it('rejects when the thread throws or exits', async () => {
    const broken = await entryOf(`parentPort.on('message', () => { throw new TypeError('broken'); });`);
    await assert.rejects(thread(systemClock, broken).run(request, signal), /broken/);
    const leaving = await entryOf(`parentPort.on('message', () => process.exit(0));`);
    await assert.rejects(thread(systemClock, leaving).run(request, signal), /ended/);
  });
});
