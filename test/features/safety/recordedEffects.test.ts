import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readSnapshot } from '../../../src/features/safety/actions/fileEdges.ts';
import { countFileSteps } from '../../../src/features/safety/actions/fileSteps.ts';
import { RecordingProxy, type Recording } from '../../../src/features/safety/actions/recordingProxy.ts';
import { UserError } from '../../../src/kit/userError.ts';

/* Actions of workers that must not be recorded. */

describe('The recorded effects of a worker', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'cloud-compute-effects-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('contain no file that is larger than the limit, which is never read', async () => {
    const edge = { variable: 'OUT', directory, seenAs: directory };
    const file = path.join(directory, 'large');
    await writeFile(file, '');
    // Larger than the largest buffer of readFile, and without blocks on the disk.
    await truncate(file, 3 * 1_073_741_824);
    await assert.rejects(readSnapshot([edge], new AbortController().signal), UserError);
  });

  it('contain the counted changes of files only, whatever the worker writes beside them', async () => {
    const files = [{ variable: 'OUT', directory, seenAs: directory }];
    const into = { directory, seenAs: directory, mounts: undefined, remove: () => Promise.resolve() };
    const steps = await countFileSteps({ files, into, env: {}, killAt: 0 });
    await mkdir(path.join(directory, 'inner'));
    await appendFile(path.join(directory, '.cloud-compute-safety/log'), '"OUT/a"\n{"broken\n17\n"OUT/b"\n');
    assert.deepEqual(await steps.names(), ['OUT/a', 'OUT/b']);
  });

  it('contain different texts for different bodies of calls, also for binary and large ones', async () => {
    const proxy = await RecordingProxy.start({ edges: { API: { reply: {} } }, containerHost: undefined });
    const recording: Recording = {
      ...{ calls: [], tunnels: new Set(), unreachable: [], endpointId: () => undefined },
      isStopped: () => Promise.resolve(false),
      onReplied: () => Promise.resolve(),
    };
    try {
      proxy.record(recording);
      const address = proxy.variablesFor('127.0.0.1:1')['API'] ?? '';
      const bodies = [Buffer.from([0xff, 0x61]), Buffer.from([0xfe, 0x61]), Buffer.alloc(5_000_000), 'é'];
      for (const body of bodies) assert.equal((await fetch(address, { method: 'POST', body })).status, 200);
    } finally {
      await proxy.close();
    }
    const texts = recording.calls.map(({ body }) => body);
    assert.deepEqual([new Set(texts).size, texts.at(-1)], [4, 'é']);
    assert.ok(texts.every(({ length }) => length <= 64));
  });
});
