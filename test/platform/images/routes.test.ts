// Clauses of the interface: Endpoints 6; Errors, image-edit.
import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import type { ImageEditResult } from '../../../src/contract/imageEdit.ts';
import { IMAGE_URL_LIFETIME_MS } from '../../../src/contract/imageModel.ts';
import { IDEMPOTENCY_KEY_HEADER } from '../../../src/contract/job.ts';
import { operations } from '../../../src/contract/operations.ts';
import { decode } from '../../../src/platform/images/codecs.ts';
import { imageWorkers } from '../../../src/platform/images/imageModel.ts';
import { kindOf } from '../../../src/machine/images/kind.ts';
import type { PlatformOptions } from '../../../src/platform/daemon/start.ts';
import { type Api, cleanUp, dataDirectory, eventually, fastClock, platformForTest, settableClock } from '../support.ts';
import { gradient, imageServer, jpegOf, pixelAt, png, pngOf } from './support.ts';

const source = gradient(60, 40);
const dataUrl = `data:image/png;base64,${pngOf(source).toString('base64')}`;
const MODEL = { endpointId: 'image-edit' };

describe('Image-editing endpoint', () => {
  let api: Api;
  /** Origin of a server with a picture at /a.png and /a.jpg, and special responses at other paths. */
  let origin: string;
  const asked: string[] = [];

  const start = async (options: PlatformOptions = {}): Promise<Api> =>
    (await platformForTest({ imageSources: { trustedOrigins: [origin] }, ...options })).api;

  const edit = (input: object, on = api): Promise<ImageEditResult> =>
    on.call(operations.editImage, { body: { input } });

  async function failure(input: object, message: RegExp): Promise<void> {
    const result = await edit(input);
    assert.equal(result.status, 'FAILED');
    assert.match(String(result.error), message);
    assert.equal(result.output, undefined);
  }

  async function spent(on: Api): Promise<number | undefined> {
    const { metadata } = await on.call(operations.listBilling, { query: { bucketSize: 'hour', lastN: 24 } });
    return metadata.totals.endpointAmount;
  }

  before(async () => {
    const large = png(6_000, 4_000, deflateSync(Buffer.alloc(4_000 * (6_000 * 4 + 1))));
    origin = await imageServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/a.png') response.writeHead(200, { 'Content-Type': 'image/png' }).end(pngOf(source));
      else if (request.url === '/a.jpg') response.writeHead(200, { 'Content-Type': 'text/plain' }).end(jpegOf(source));
      else if (request.url === '/large.png') response.writeHead(200, { 'Content-Type': 'image/png' }).end(large);
      else if (request.url === '/page') response.writeHead(200, { 'Content-Type': 'image/png' }).end('<!doctype html>');
      else if (request.url !== '/slow') response.writeHead(404).end();
    });
    api = await start();
  });

  after(cleanUp);

  it('edits a fetched image and serves the result without authentication', async () => {
    const result = await edit({
      prompt: 'rotate it left and invert the colors',
      image: `${origin}/a.png`,
      output_format: 'png',
    });
    assert.equal(result.status, 'COMPLETED', String(result.error));
    assert.match(result.id, /^sync-/);
    assert.ok(Number.isInteger(result.delayTime) && Number.isInteger(result.executionTime));
    assert.match(String(result.workerId), /^[a-z0-9]{14}$/);
    assert.equal(result.output?.cost, 0.02);
    const url = result.output.image_url;
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/images\/[\w-]{32}\.png$/);
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Content-Type'), 'image/png');
    assert.match(response.headers.get('Cache-Control') ?? '', /^private, max-age=6\d{5}, immutable$/);
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.equal(response.headers.get('Content-Length'), String(bytes.length));
    const picture = decode(bytes);
    assert.deepEqual([picture.width, picture.height], [40, 60]);
    const [red = 0, green = 0, blue = 0] = pixelAt(source, 59, 0);
    assert.deepEqual(pixelAt(picture, 0, 0), [255 - red, 255 - green, 255 - blue, 255]);
  });

  it('returns a JPEG by default', async () => {
    const { output } = await edit({ prompt: 'grayscale', image: `${origin}/a.jpg` });
    const response = await fetch(output?.image_url ?? '');
    assert.equal(response.headers.get('Content-Type'), 'image/jpeg');
    assert.equal(kindOf(new Uint8Array(await response.arrayBuffer())), 'JPEG');
  });

  it('returns the same job for requests with the same key', async () => {
    const headers = { [IDEMPOTENCY_KEY_HEADER]: 'once' };
    const submission = (prompt: string) => ({
      parameters: MODEL,
      body: { input: { prompt, image: dataUrl } },
      headers,
    });
    const first = await api.call(operations.runJob, submission('blur'));
    const second = await api.call(operations.runJob, submission('blur'));
    assert.equal(second.id, first.id);
    await api.refused(409, operations.runJob, submission('rotate'));
  });

  it('edits its own results, and images in data: URLs', async () => {
    const first = await edit({ prompt: 'resize to 30x20', image: dataUrl, output_format: 'png' });
    const url = first.output?.image_url ?? '';
    for (const image of [url, url.replace('127.0.0.1', 'localhost')]) {
      const second = await edit({ prompt: 'rotate', image, output_format: 'png' });
      const picture = decode(new Uint8Array(await (await fetch(second.output?.image_url ?? '')).arrayBuffer()));
      assert.deepEqual([picture.width, picture.height], [20, 30]);
    }
    await failure(
      { prompt: 'blur', image: `${api.addresses.baseUrl}/images/nothing.png` },
      /does not exist on this platform/,
    );
    await failure(
      { prompt: 'blur', image: `${api.addresses.baseUrl}/v2/openapi.json` },
      /does not exist on this platform/,
    );
  });

  it('answers HEAD requests, and 304 for a matching ETag', async () => {
    const { output } = await edit({ prompt: 'invert', image: dataUrl });
    const url = output?.image_url ?? '';
    const head = await fetch(url, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.ok(Number(head.headers.get('Content-Length')) > 100);
    assert.equal((await head.arrayBuffer()).byteLength, 0);
    const again = await fetch(url, { headers: { 'If-None-Match': head.headers.get('ETag') ?? '' } });
    assert.equal(again.status, 304);
    assert.equal(
      (await fetch(url, { method: 'DELETE', headers: { Authorization: `Bearer ${api.addresses.apiKey}` } })).status,
      405,
    );
    assert.equal((await fetch(url.replace(/[^/]+$/, 'guess.png'))).status, 404);
  });

  it('gives the same result for the same seed', async () => {
    const bytesOf = async (seed: number): Promise<string> => {
      const { output } = await edit({ prompt: 'noise', image: dataUrl, seed, output_format: 'png' });
      return Buffer.from(await (await fetch(output?.image_url ?? '')).arrayBuffer()).toString('base64');
    };
    const [one, same, random, other] = [await bytesOf(5), await bytesOf(5), await bytesOf(-1), await bytesOf(-1)];
    assert.equal(one, same);
    assert.notEqual(random, other);
  });

  it('fails with a reason and without a charge', async () => {
    const before = await spent(api);
    await failure(
      { prompt: 'add a cat', image: dataUrl },
      /no known instruction.*black and white, sepia, invert, brighten, darken, blur, noise, rotate, flip, resize$/,
    );
    await failure(
      { prompt: 'blur', image: dataUrl, negative_prompt: 'blurry' },
      /every instruction in the prompt is excluded/,
    );
    await failure({ prompt: 'blur', image: 'nowhere' }, /not a URL/);
    await failure({ prompt: 'blur', image: `${origin}/missing` }, /responds with status 404/);
    await failure({ prompt: 'blur', image: `${origin}/page` }, /an HTML page/);
    await failure({ prompt: 'blur', image: 'http://169.254.169.254/' }, /private address/);
    assert.equal(await spent(api), before);
  });

  it('does not fetch the image for an invalid prompt', async () => {
    const before = asked.length;
    await failure({ prompt: 'sing', image: `${origin}/a.png` }, /no known instruction/);
    assert.equal(asked.length, before);
  });

  it('refuses words on the safety list unless the safety checker is off', async () => {
    const prompt = 'blur the Gore';
    await failure({ prompt, image: dataUrl }, /safety checker refuses the prompt: 'gore'/);
    const { status } = await edit({ prompt, image: dataUrl, enable_safety_checker: false });
    assert.equal(status, 'COMPLETED');
    assert.equal((await edit({ prompt: 'blur the map of Essex', image: dataUrl })).status, 'COMPLETED');
  });

  it('refuses invalid requests, and callers without a key', async () => {
    const bodies: readonly (readonly [body: unknown, error: RegExp])[] = [
      [{}, /input/],
      [{ input: { image: dataUrl } }, /prompt: missing/],
      [{ input: { prompt: 'blur' } }, /image: missing/],
      [{ input: { prompt: 'blur', image: dataUrl, output_format: 'gif' } }, /output_format.*png, jpeg/],
      [{ input: { prompt: 'blur', image: dataUrl, seed: 1.5 } }, /seed/],
      [{ input: { prompt: 'blur', image: dataUrl, steps: 3 } }, /unknown property 'steps'/],
    ];
    for (const [body, error] of bodies) {
      for (const row of [operations.editImage, { ...operations.runJob, path: '/image-edit/run' } as const]) {
        assert.match((await api.refused(400, row, { body })).error ?? '', error);
      }
    }
    await api.refused(401, operations.editImage, { body: {}, headers: { Authorization: '' } });
  });

  it('accepts jobs through the queue operations', async () => {
    const { id, status } = await api.call(operations.runJob, {
      parameters: MODEL,
      body: { input: { prompt: 'sepia', image: dataUrl } },
    });
    assert.equal(status, 'IN_QUEUE');
    const done = await eventually('the edit is completed', async () => {
      const job = await api.call(operations.getJobStatus, { parameters: { ...MODEL, jobId: id } });
      return job.status === 'COMPLETED' && job;
    });
    assert.match((done.output as { image_url: string }).image_url, /\/images\/.*\.jpeg$/);
    const { jobs, workers } = await api.call(operations.getEndpointHealth, { parameters: MODEL });
    assert.ok(jobs.completed > 0 && workers.running === 0 && workers.idle > 0);
    await api.refused(404, operations.getJobStatus, { parameters: { ...MODEL, jobId: 'nope' } });
  });

  it('charges 0.02 USD per image', async () => {
    const own = await start();
    for (const prompt of ['blur', 'sepia', 'no idea']) await edit({ prompt, image: dataUrl }, own);
    assert.equal(await spent(own), 0.04);
  });

  it('answers requests during concurrent edits', async () => {
    const own = await start();
    const image = `data:image/png;base64,${pngOf(gradient(900, 700)).toString('base64')}`;
    const edits = Promise.all(Array.from({ length: 8 }, () => edit({ prompt: 'blur strongly', image }, own)));
    // If edits ran on the main thread, this request would wait until all of them have ended.
    await eventually('some jobs run and some wait', async () => {
      const { jobs, workers } = await own.call(operations.getEndpointHealth, { parameters: MODEL });
      assert.ok(workers.running <= 2);
      return jobs.inQueue > 0 && jobs.inProgress > 0;
    });
    for (const { status } of await edits) assert.equal(status, 'COMPLETED');
  });

  it('edits ten pictures of the maximum size that are submitted at once', async () => {
    const edits = Array.from({ length: 10 }, () =>
      edit({ prompt: 'resize to 64x64', image: `${origin}/large.png`, output_format: 'png' }),
    );
    const results = await Promise.all(edits);
    assert.deepEqual(
      results.map(({ error }) => error),
      results.map(() => undefined),
    );
  }).timeout(240_000);

  it('limits concurrent edits by the processors and memory of the machine', () => {
    const GIB = 2 ** 30;
    assert.equal(imageWorkers(16, 64 * GIB), 2);
    assert.equal(imageWorkers(2, 64 * GIB), 1);
    assert.equal(imageWorkers(16, 4 * GIB), 1);
    assert.equal(imageWorkers(1, GIB), 1);
  });

  it('stops a canceled edit and starts the next', async () => {
    const own = await start();
    const submit = (input: object, rest: object = {}) =>
      own.call(operations.runJob, { parameters: MODEL, body: { input, ...rest } });
    const image = `data:image/png;base64,${pngOf(gradient(1500, 1500)).toString('base64')}`;
    for (const input of [
      { prompt: 'blur, '.repeat(20), image },
      { prompt: 'blur', image: `${origin}/slow` },
    ]) {
      const { id } = await submit(input);
      const parameters = { ...MODEL, jobId: id };
      await eventually(
        'the job runs',
        async () => (await own.call(operations.getJobStatus, { parameters })).status === 'IN_PROGRESS',
      );
      assert.equal((await own.call(operations.cancelJob, { parameters })).status, 'CANCELLED');
      assert.equal((await edit({ prompt: 'blur', image: dataUrl }, own)).status, 'COMPLETED');
      assert.equal((await own.call(operations.getJobStatus, { parameters })).status, 'CANCELLED');
    }
    await eventually('all workers are idle', async () => {
      const { workers } = await own.call(operations.getEndpointHealth, { parameters: MODEL });
      return workers.running === 0;
    });
    assert.equal(await spent(own), 0.04, 'canceled edits are free');
  });

  it('skips a job that expired in the queue, and runs the next', async () => {
    const clock = settableClock(Date.now());
    const own = await start({ clock });
    const submit = async (image: string, rest: object = {}) => {
      const body = { input: { prompt: 'blur', image }, ...rest };
      return { ...MODEL, jobId: (await own.call(operations.runJob, { parameters: MODEL, body })).id };
    };
    const { workers } = await own.call(operations.getEndpointHealth, { parameters: MODEL });
    const busy = await Promise.all(Array.from({ length: workers.idle }, () => submit(`${origin}/slow`)));
    const late = await submit(dataUrl, { policy: { ttl: 10_000 } });
    const next = await submit(dataUrl);
    clock.set(clock.now() + 10_000);
    for (const parameters of busy) await own.call(operations.cancelJob, { parameters });
    const done = await own.call(operations.getJobStatusSync, { parameters: next });
    assert.equal(done.status, 'COMPLETED');
    await own.refused(404, operations.getJobStatus, { parameters: late });
  });

  it('ends edits and fetches that exceed their time limits', async () => {
    const own = await start({ clock: fastClock });
    const result = await edit({ prompt: 'blur', image: `${origin}/slow` }, own);
    assert.deepEqual(
      [result.status, result.error],
      ['FAILED', 'the image cannot be fetched: it takes longer than 30 s'],
    );
    const { id } = await own.call(operations.runJob, {
      parameters: MODEL,
      body: { input: { prompt: 'blur', image: `${origin}/slow` }, policy: { executionTimeout: 5_000 } },
    });
    const parameters = { ...MODEL, jobId: id };
    const ended = await eventually('the job has timed out', async () => {
      const job = await own.call(operations.getJobStatus, { parameters });
      return job.status === 'TIMED_OUT' && job;
    });
    assert.match(String(ended.error), /5000 ms/);
  });

  it('deletes images after seven days', async () => {
    const now = Date.now();
    const clock = settableClock(now);
    const own = await start({ clock });
    const { output } = await edit({ prompt: 'blur', image: dataUrl }, own);
    const url = output?.image_url ?? '';
    clock.set(now + IMAGE_URL_LIFETIME_MS - 60_000);
    assert.equal((await fetch(url)).status, 200);
    clock.set(now + IMAGE_URL_LIFETIME_MS + 60_000);
    const gone = await fetch(url);
    assert.equal(gone.status, 404);
    assert.equal(gone.headers.get('Content-Type'), 'application/problem+json');
    clock.set(now);
    await eventually('the image is deleted, not only hidden', async () => (await fetch(url)).status === 404);
  });

  it('keeps images and unfinished jobs over a restart, and updates the port in image URLs', async () => {
    const dataDir = await dataDirectory();
    const options: PlatformOptions = { dataDir, imageSources: { trustedOrigins: [origin] } };
    const first = await platformForTest(options);
    const done = await edit({ prompt: 'invert', image: dataUrl }, first.api);
    const unfinished = await first.api.call(operations.runJob, {
      parameters: MODEL,
      body: { input: { prompt: 'blur', image: `${origin}/slow` } },
    });
    await first.platform.close();
    const { api: second } = await platformForTest(options);
    const status = (jobId: string) => second.call(operations.getJobStatus, { parameters: { ...MODEL, jobId } });
    const { output } = (await status(done.id)) as ImageEditResult;
    assert.ok(output);
    assert.ok(output.image_url.startsWith(second.addresses.baseUrl));
    assert.equal((await fetch(output.image_url)).status, 200);
    await eventually('the job runs again', async () => (await status(unfinished.id)).status === 'IN_PROGRESS');
    assert.equal(await spent(second), 0.02);
  });
});
