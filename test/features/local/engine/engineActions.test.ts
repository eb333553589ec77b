import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import type { ControlClient } from '../../../../src/client/controlClient.ts';
import type { PlatformImage, PullEvent } from '../../../../src/contract/control/controlImages.ts';
import {
  pull,
  PullError,
  removeImages,
  unusedImages,
} from '../../../../src/features/local/engine/actions/engineActions.ts';
import { startScriptedServer } from '../../../client/scriptedServer.ts';

const image = (id: string, changes: Partial<PlatformImage> = {}): PlatformImage => ({
  ...{ id, references: [`example/${id}:1`], sizeBytes: 1_000, createdAt: '2026-01-01T00:00:00Z' },
  ...{ inUse: false, usedBy: [], removable: true },
  ...changes,
});

const refused = (status: number, kind: ApiError['kind']) =>
  new ApiError(kind, `refused with ${status}`, { operation: 'removeImage', status });

/** A control API with these images, whose removals fail with the given errors. */
function engineWith(images: readonly PlatformImage[], errors: Readonly<Record<string, ApiError>> = {}) {
  const asked: string[] = [];
  const control = {
    listImages: () => Promise.resolve({ images }),
    removeImage: ({ id }: { readonly id: string }) => {
      asked.push(id);
      const error = errors[id];
      return error ? Promise.reject(error) : Promise.resolve(undefined);
    },
  } as unknown as ControlClient;
  return { control, asked };
}

const removing = (signal = new AbortController().signal) => ({ signal, onImage: () => undefined });
const ids = (images: readonly PlatformImage[]) => images.map(({ id }) => id);

describe('unused images', () => {
  it('are those that the platform may remove, the largest first', async () => {
    const { control } = engineWith([
      image('small', { sizeBytes: 1 }),
      image('used', { inUse: true, removable: false }),
      image('foreign', { removable: false }),
      image('large', { sizeBytes: 9 }),
    ]);
    assert.deepEqual(ids(await unusedImages(control)), ['large', 'small']);
  });
});

describe('removing images', () => {
  const [a, b, c] = [image('a'), image('b'), image('c')];

  it('removes one after the other, and counts an image that is gone as removed', async () => {
    const { control, asked } = engineWith([], { b: refused(404, 'notFound') });
    const { removed, notRemoved } = await removeImages(control, [a, b, c], removing());
    assert.deepEqual([asked, ids(removed), notRemoved], [['a', 'b', 'c'], ['a', 'b', 'c'], []]);
  });

  it('continues after an image that a worker has begun to use', async () => {
    const { control } = engineWith([], { a: refused(409, 'validation') });
    const { removed, notRemoved } = await removeImages(control, [a, b], removing());
    assert.deepEqual([ids(removed), notRemoved], [['b'], [{ image: a, reason: 'refused with 409' }]]);
  });

  it('ends when the engine fails, and keeps the result', async () => {
    const { control, asked } = engineWith([], { b: refused(503, 'server') });
    const { removed, notRemoved } = await removeImages(control, [a, b, c], removing());
    assert.deepEqual([asked, ids(removed), notRemoved.length], [['a', 'b'], ['a'], 1]);
    const failing = engineWith([], { a: refused(503, 'server') });
    await assert.rejects(removeImages(failing.control, [a, b], removing()), { kind: 'server' });
  });

  it('ends after a cancellation', async () => {
    const canceling = new AbortController();
    const { control, asked } = engineWith([]);
    const { removed } = await removeImages(control, [a, b], {
      signal: canceling.signal,
      onImage: () => canceling.abort(),
    });
    assert.deepEqual([asked, ids(removed)], [['a'], ['a']]);
  });
});

describe('pulling an image', () => {
  async function pulled(...events: readonly PullEvent[]) {
    await using server = await startScriptedServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
    const percents: (number | undefined)[] = [];
    const { signal } = new AbortController();
    const onPercent = (percent: number | undefined) => void percents.push(percent);
    const digest = await pull(server.client.context, { image: 'example/a:1' }, { signal, onPercent });
    return { digest, percents };
  }

  it('reports the progress, and returns the digest', async () => {
    const { digest, percents } = await pulled(
      { event: 'progress' },
      { event: 'progress', percent: 50 },
      { event: 'done', digest: 'sha256:1' },
    );
    assert.deepEqual([digest, percents], ['sha256:1', [undefined, 50]]);
  });

  it('throws the reason of the engine with the class of the cause, if this version knows it', async () => {
    const reason = 'unauthorized: authentication required';
    for (const [code, problem] of [
      ['credentialsRefused', 'credentialsRefused'],
      ['ofANewerVersion', undefined],
    ]) {
      await assert.rejects(pulled({ event: 'failed', problem: code, reason }), (error) => {
        assert.ok(error instanceof PullError);
        assert.deepEqual([error.problem, error.message], [problem, reason]);
        return true;
      });
    }
  });
});
