import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import { systemClock } from '../../../../src/client/clock.ts';
import { createClient, type Client } from '../../../../src/client/client.ts';
import { IMAGE_EDIT_ENDPOINT_ID, IMAGE_URL_LIFETIME_MS } from '../../../../src/contract/imageModel.ts';
import {
  EDIT_TIMEOUT_MS,
  EditFailedError,
  editImage,
  InvalidParametersError,
  UnconfirmedCancelError,
  type EditFailure,
  type EditImageOptions,
} from '../../../../src/features/images/actions/editImage.ts';
import { fetchEditedImage } from '../../../../src/features/images/actions/fetchImage.ts';
import { readImageFile } from '../../../../src/features/images/actions/readSource.ts';
import type { EditParameters, EditSource } from '../../../../src/features/images/model/imageEdit.ts';
import type { Platform } from '../../../../src/platform/daemon/start.ts';
import { json, startScriptedServer } from '../../../client/scriptedServer.ts';
import { gradient, imageServer, pngOf } from '../../../platform/images/support.ts';
import { cleanUp, platformForTest } from '../../../platform/support.ts';
import { steppedClock } from '../../steppedClock.ts';

const parameters: EditParameters = {
  ...{ prompt: 'rotate it left', negativePrompt: '', seed: 7, format: 'png', safetyChecker: true },
};
const { source } = readImageFile(pngOf(gradient(60, 40)), 'photos/a.png');
const hosted: EditSource = { kind: 'url', url: 'https://example.com/a.png' };

describe('an image edit', () => {
  let platform: Platform;
  let client: Client;
  /** Server whose picture never arrives, so that an edit of it runs until it is canceled. */
  let slow: string;
  let onFetch = (): void => undefined;

  before(async () => {
    slow = await imageServer(() => onFetch());
    ({ platform } = await platformForTest({ imageSources: { trustedOrigins: [slow] } }));
    client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
  });
  after(cleanUp);

  const edit = (from: EditSource, changes: Partial<EditParameters> = {}, options: Partial<EditImageOptions> = {}) =>
    editImage({ client, clock: systemClock, signal: new AbortController().signal, ...options }, from, {
      ...parameters,
      ...changes,
    });
  const fails = (run: Promise<unknown>, code: EditFailure, message: RegExp) =>
    assert.rejects(run, (error) => {
      assert.ok(error instanceof EditFailedError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return error.jobId !== '';
    });

  it('returns the address, the cost, the times, and the worker', async () => {
    const states: string[] = [];
    const start = Date.now();
    const done = await edit(source, {}, { onJob: ({ status }) => states.push(status) });
    assert.equal(states.at(-1), 'COMPLETED');
    assert.deepEqual(done.parameters, parameters);
    assert.equal(done.cost, 0.02);
    assert.ok(done.expiresAt >= start + IMAGE_URL_LIFETIME_MS);
    assert.ok(Number.isInteger(done.delayTime) && Number.isInteger(done.executionTime));
    assert.match(`${done.id} ${done.workerId}`, /^sync-\S+ [a-z0-9]{14}$/);
    const options = { fetch: globalThis.fetch, clock: systemClock, signal: new AbortController().signal };
    const image = await fetchEditedImage({ ...options, connection: platform.announcement }, done.url);
    assert.deepEqual([image.mediaType, image.width, image.height], ['image/png', 40, 60]);
  });

  it('edits the result of an earlier edit at its address', async () => {
    const first = await edit(source);
    const second = await edit({ kind: 'result', url: first.url, editId: first.id }, { format: 'jpeg' });
    assert.match(second.url, /\.jpeg$/);
  });

  it('chooses and reports a random seed, with which the edit can be repeated', async () => {
    const noisy = { prompt: 'noise', seed: 'random' } as const;
    const [first, second] = [await edit(source, noisy), await edit(source, noisy)];
    assert.notEqual(first.parameters.seed, second.parameters.seed);
    const again = await edit(source, { prompt: 'noise', seed: first.parameters.seed });
    const bytesAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
    assert.deepEqual(await bytesAt(again.url), await bytesAt(first.url));
    assert.notDeepEqual(await bytesAt(second.url), await bytesAt(first.url));
  });

  it('chooses the seed itself for -1, with which the service would choose one', async () => {
    const { parameters: used } = await edit(source, { seed: -1 });
    assert.ok((used.seed ?? -1) >= 0, String(used.seed));
  });

  it('fails with the reason of the platform and the ID of the job', async () => {
    await fails(edit(source, { prompt: 'do something' }), 'failed', /no known instruction/);
    await fails(edit(source, { negativePrompt: 'rotate' }), 'failed', /excluded/);
    await fails(edit({ kind: 'url', url: 'http://127.0.0.1:9/a.png' }), 'failed', /private address/);
    const damaged = { ...source, bytes: source.bytes.slice(0, 60) };
    await fails(edit(damaged), 'failed', /damaged/);
    await fails(edit(source, { prompt: 'blur the naked person' }), 'failed', /safety checker/);
    assert.ok(await edit(source, { prompt: 'blur the naked person', safetyChecker: false }));
  });

  it('refuses an empty prompt, one of 10,000 characters, and a seed that is no integer, before the request', async () => {
    const refused = (changes: Partial<EditParameters>, ...expected: readonly string[]) =>
      assert.rejects(edit(source, changes, { client: {} as Client }), (error) => {
        assert.ok(error instanceof InvalidParametersError);
        assert.deepEqual(
          error.problems.map(({ field, code }) => `${field} ${code}`),
          expected,
        );
        return true;
      });
    await refused({ prompt: ' \n' }, 'prompt empty');
    await refused(
      { prompt: 'x'.repeat(10_000), negativePrompt: 'y'.repeat(4_001) },
      'prompt tooLong',
      'negativePrompt tooLong',
    );
    await refused({ seed: 1.5 }, 'seed notAnInteger');
    await refused({ seed: NaN }, 'seed notAnInteger');
  });

  it('is canceled on the platform when its signal is aborted', async () => {
    const stop = new AbortController();
    const fetched = new Promise<void>((resolve) => (onFetch = resolve));
    let jobId = '';
    const run = edit(
      { kind: 'url', url: `${slow}/a.png` },
      {},
      { signal: stop.signal, onJob: ({ id }) => (jobId = id) },
    );
    await fetched;
    // The signal is aborted before the first response, which has the ID.
    assert.equal(jobId, '');
    stop.abort();
    await assert.rejects(run, (error) => error instanceof ApiError && error.kind === 'canceled');
    const { status } = await client.getJobStatus({ endpointId: IMAGE_EDIT_ENDPOINT_ID, jobId });
    assert.equal(status, 'CANCELLED');
  });

  it('says that the job may still run if the platform does not confirm the cancellation', async () => {
    const stop = new AbortController();
    await using server = await startScriptedServer(({ path }, response) => {
      if (path.includes('/cancel/')) json(response, 403, { error: 'not allowed' });
      else json(response, 200, { id: 'sync-1', status: 'IN_PROGRESS' });
    });
    const run = edit(hosted, {}, { client: server.client, signal: stop.signal, onJob: () => stop.abort() });
    await assert.rejects(run, (error) => error instanceof UnconfirmedCancelError && error.jobId === 'sync-1');
  });

  it('says that the job may still run if the platform reports no ID after a cancellation', async () => {
    const stop = new AbortController();
    const stepped = steppedClock();
    const { clock } = stepped;
    await using server = await startScriptedServer(() => {
      stop.abort();
      stepped.advance(60_000);
    });
    const silent = createClient({ connection: server.connection, fetch: globalThis.fetch, clock });
    const run = edit(hosted, {}, { client: silent, clock, signal: stop.signal });
    await assert.rejects(run, (error) => error instanceof UnconfirmedCancelError && error.jobId === undefined);
  });

  it('returns an edit that completes before its cancellation, because it is billed', async () => {
    const stop = new AbortController();
    await using server = await startScriptedServer(({ path }, response) => {
      if (path.includes('/cancel/')) json(response, 400, { error: 'the job has ended' });
      else if (path.includes('/status/'))
        json(response, 200, {
          id: 'sync-1',
          status: 'COMPLETED',
          output: { image_url: 'https://cdn.example.com/a.png' },
        });
      else json(response, 200, { id: 'sync-1', status: 'IN_PROGRESS' });
    });
    const { url } = await edit(hosted, {}, { client: server.client, signal: stop.signal, onJob: () => stop.abort() });
    assert.equal(url, 'https://cdn.example.com/a.png');
  });

  it('is canceled at once while it waits for a rate limit, without a request', async () => {
    const stop = new AbortController();
    await using server = await startScriptedServer((_, response) => {
      response.setHeader('Retry-After', '60');
      json(response, 429, { error: 'rate limit exceeded for the minute window' });
    });
    const run = edit(hosted, {}, { client: server.client, signal: stop.signal, onWait: () => stop.abort() });
    await assert.rejects(run, (error) => error instanceof ApiError && error.kind === 'canceled');
    assert.equal(server.received.length, 1);
  });

  it('does not start if its signal is already aborted', async () => {
    const run = edit(source, {}, { client: {} as Client, signal: AbortSignal.abort() });
    await assert.rejects(run, (error) => error instanceof ApiError && error.kind === 'canceled');
  });

  it('omits the parameters that are left to the service, and takes its format', async () => {
    await using server = await startScriptedServer((_, response) =>
      json(response, 200, { id: 'sync-1', status: 'COMPLETED', output: { image_url: hosted.url } }),
    );
    const left = { seed: undefined, format: undefined, safetyChecker: undefined };
    const done = await edit(hosted, left, { client: server.client });
    const { input } = JSON.parse(server.received[0]?.body ?? '') as { input: unknown };
    assert.deepEqual(input, { prompt: 'rotate it left', image: hosted.url });
    assert.deepEqual(done.parameters, { ...parameters, ...left });
    assert.match((await edit(source, left)).url, /\.jpeg$/);
  });

  it('accepts results without a cost, and failures with the status 200 or 400', async () => {
    const answers: [number, object][] = [
      [200, { id: 'sync-1', status: 'COMPLETED', output: { image_url: 'https://cdn.example.com/a.png' } }],
      [200, { id: 'sync-2', status: 'FAILED', error: 'invalid image URL' }],
      [400, { id: 'sync-3', status: 'FAILED', error: 'invalid image URL' }],
      [200, { id: 'sync-4', status: 'FAILED' }],
      [200, { id: 'sync-5', status: 'COMPLETED' }],
      [200, { id: 'sync-6', status: 'TIMED_OUT' }],
    ];
    await using server = await startScriptedServer((_, response) => {
      const [status, body] = answers.shift() ?? [500, {}];
      json(response, status, body);
    });
    const on = () => edit(hosted, {}, { client: server.client });
    const done = await on();
    assert.deepEqual([done.url, done.cost, done.workerId], ['https://cdn.example.com/a.png', undefined, undefined]);
    await fails(on(), 'failed', /invalid image URL/);
    await fails(on(), 'failed', /invalid image URL/);
    await fails(on(), 'failed', /no reason/);
    await fails(on(), 'noImage', /without an image/);
    await fails(on(), 'ended', /canceled or timed out/);
    const { input } = JSON.parse(server.received[0]?.body ?? '') as { input: unknown };
    assert.deepEqual(input, {
      ...{ prompt: 'rotate it left', image: hosted.url, seed: 7, output_format: 'png', enable_safety_checker: true },
    });
  });

  it('is canceled on the platform after its time limit', async () => {
    const canceled: string[] = [];
    await using server = await startScriptedServer(({ path }, response) => {
      if (path.includes('/cancel/')) canceled.push(path);
      json(response, 200, { id: 'sync-1', status: canceled.length > 0 ? 'CANCELLED' : 'IN_PROGRESS' });
    });
    const stepped = steppedClock();
    const { clock } = stepped;
    const slowClient = createClient({ connection: server.connection, fetch: globalThis.fetch, clock });
    const onJob = () => stepped.advance(EDIT_TIMEOUT_MS);
    await fails(
      edit(hosted, {}, { client: slowClient, clock, onJob }),
      'tooLong',
      new RegExp(`${EDIT_TIMEOUT_MS / 1000} s`),
    );
    assert.equal(canceled.length, 1);
  });
});
