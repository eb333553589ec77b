import { IMAGE_EDIT_WAIT_MS, ImageEditJobRequest } from '../../contract/imageEdit.ts';
import { DEFAULT_WAIT_MS, MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES } from '../../contract/job.ts';
import { operations } from '../../contract/operations.ts';
import type { Operation } from '../../contract/operation.ts';
import { healthOf } from '../domain/job.ts';
import type { Services, App } from './services.ts';
import { route, submissionOf } from './route.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Serve } from '../http/app.ts';
import { IMAGES_PATH } from '../images/imageAddress.ts';

/** Returns a queue operation with a path of the model. */
function at<Row extends Operation, const Path extends string>(
  row: Row,
  path: Path,
): Omit<Row, 'path'> & { path: Path } {
  return { ...row, path };
}

/** Routes for the public image-editing model: its own operation, and those of a queue endpoint. */
export function imageEditRoutes(app: App, { images }: Services): void {
  route(
    app,
    operations.editImage,
    async ({ accountId, body, query: { wait = IMAGE_EDIT_WAIT_MS }, exchange }) => {
      const jobs = images.jobsOf(accountId);
      const { id } = await images.submit(accountId, body, submissionOf(exchange, 'runsync'));
      // Reads the job again, because a job with an unknown instruction has already failed.
      return images.answer(await jobs.waitFor(jobs.get(id), wait, exchange.signal));
    },
    { maxBodyBytes: MAX_RUN_SYNC_BYTES },
  );
  route(
    app,
    { ...at(operations.runJob, '/image-edit/run'), body: ImageEditJobRequest },
    async ({ accountId, body, exchange }) =>
      images.answer(await images.submit(accountId, body, submissionOf(exchange, 'run'))),
    { maxBodyBytes: MAX_RUN_BYTES },
  );
  route(
    app,
    at(operations.getJobStatus, '/image-edit/status/{jobId}'),
    async ({ accountId, parameters: { jobId }, query: { ttl } }) => {
      const jobs = images.jobsOf(accountId);
      return images.answer(ttl === undefined ? jobs.get(jobId) : await jobs.setTtl(jobId, ttl));
    },
  );
  route(
    app,
    at(operations.getJobStatusSync, '/image-edit/status-sync/{jobId}'),
    async ({ accountId, parameters: { jobId }, query: { wait = DEFAULT_WAIT_MS }, exchange }) => {
      const jobs = images.jobsOf(accountId);
      return images.answer(await jobs.waitFor(jobs.get(jobId), wait, exchange.signal));
    },
  );
  route(app, at(operations.cancelJob, '/image-edit/cancel/{jobId}'), ({ accountId, parameters: { jobId } }) =>
    images.answer(images.jobsOf(accountId).cancel(jobId)),
  );
  route(app, at(operations.retryJob, '/image-edit/retry/{jobId}'), ({ accountId, parameters: { jobId } }) =>
    images.answer(images.jobsOf(accountId).retry(jobId)),
  );
  route(app, at(operations.purgeQueue, '/image-edit/purge-queue'), async ({ accountId }) => ({
    removed: await images.jobsOf(accountId).purge(),
    status: 'completed',
  }));
  route(app, at(operations.getEndpointHealth, '/image-edit/health'), ({ accountId }) => ({
    jobs: healthOf(images.jobsOf(accountId).counts()),
    workers: images.health(),
  }));
}

/**
 * Routes for edited images. The operation table has no row for them, because clients follow the URL in a job's output. They need no key,
 * so that editors and browsers can show the images.
 */
export function imageRoutes(app: App, { images, clock }: Services): void {
  const serve: Serve<unknown> = (exchange) => {
    const { name = '' } = exchange.parameters;
    const image = images.image(name);
    if (!image) throw new Refusal(404, 'no such image, or it has expired; images are available for 7 days');
    const headers = {
      'Content-Type': image.contentType,
      // The bytes under a name never change. The cache is private, because the name is a secret.
      'Cache-Control': `private, max-age=${Math.floor((image.expiresAt - clock.now()) / 1000)}, immutable`,
      ETag: `"${name}"`,
      'Last-Modified': new Date(image.createdAt).toUTCString(),
      'X-Content-Type-Options': 'nosniff',
    };
    if (exchange.header('If-None-Match') === headers.ETag) return { status: 304, headers };
    return { status: 200, headers, body: image.bytes };
  };
  app.on('GET', `${IMAGES_PATH}{name}`, serve, { open: true });
}
