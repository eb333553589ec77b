import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock, type Clock } from '../../../src/platform/clock.ts';
import { EDIT_TIME_LIMIT_MS, EditThread } from '../../../src/platform/images/editThread.ts';
import { EditError } from '../../../src/platform/images/pixels/picture.ts';
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

/** A clock on which the time limit of an edit is over at once, and nothing else ever is. */
const hurried: Clock = {
  now: () => 0,
  after: (ms, callback) => (ms === EDIT_TIME_LIMIT_MS ? systemClock.after(0, callback) : () => undefined),
};

function thread(clock: Clock = systemClock, entry?: URL): EditThread {
  const made = new EditThread(clock, entry && { entry, memoryMb: 32 });
  afterwards(() => made.close());
  return made;
}

/** A thread that runs this code instead of ours. */
async function entryOf(code: string): Promise<URL> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-thread-'));
  afterwards(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'thread.mjs');
  await writeFile(file, `import { parentPort } from 'node:worker_threads';\n${code}`);
  return pathToFileURL(file);
}

describe('The thread of image edits', () => {
  afterEach(cleanUp);

  it('edits one image after the other, also after a failure', async () => {
    const worker = thread();
    const first = await worker.run(request, signal);
    await assert.rejects(worker.run({ ...request, image: Buffer.from('no image') }, signal), EditError);
    assert.deepEqual(await worker.run(request, signal), first);
  });

  it('is ended when an edit takes too long, and begins anew', async () => {
    const endless = await entryOf(`parentPort.on('message', () => { for (;;); });`);
    const worker = thread(hurried, endless);
    for (let time = 0; time < 2; time++) await assert.rejects(worker.run(request, signal), /longer than 60 s/);
  });

  it('is ended when its caller gives up', async () => {
    const worker = thread(systemClock, await entryOf(`parentPort.on('message', () => { for (;;); });`));
    const abort = new AbortController();
    const running = worker.run(request, abort.signal);
    abort.abort(new Error('enough'));
    await assert.rejects(running, /enough/);
    await assert.rejects(worker.run(request, abort.signal), /enough/);
  });

  it('takes no more memory than it may', async () => {
    const hoarding = await entryOf(`parentPort.on('message', () => { const all = []; for (;;) all.push({ all }); });`);
    await assert.rejects(thread(systemClock, hoarding).run(request, signal), /more memory than there is/);
  }).timeout(30_000);

  it('that breaks or ends by itself says so', async () => {
    const broken = await entryOf(`parentPort.on('message', () => { throw new TypeError('broken'); });`);
    await assert.rejects(thread(systemClock, broken).run(request, signal), /broken/);
    const leaving = await entryOf(`parentPort.on('message', () => process.exit(0));`);
    await assert.rejects(thread(systemClock, leaving).run(request, signal), /ended/);
  });
});
