import { ImageEditJobRequest } from '../../contract/imageEdit.ts';
import { DEFAULT_WAIT_MS } from '../../contract/job.ts';
import { operations } from '../../contract/operations.ts';
import type { Operation } from '../../contract/operation.ts';
import { healthOf } from '../domain/job.ts';
import type { Services } from './services.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

/** An image as a `data:` address is a third longer than the image. The largest bodies of a queue, in bytes (facts, section 4e). */
const MAX_RUN_BYTES = 10 * 1_048_576;
const MAX_RUNSYNC_BYTES = 20 * 1_048_576;

/** Longest a synchronous edit is waited for, in ms: time for those before it too. */
const WAIT_MS = 300_000;

/** A queue's operation at the model's own path. */
function at<Row extends Operation, const Path extends string>(
  row: Row,
  path: Path,
): Omit<Row, 'path'> & { path: Path } {
  return { ...row, path };
}

/** The public image-editing model: its own operation, and those that it has as a queue endpoint (facts, section 6). */
export function imageEditRoutes(app: App, { images }: Services): void {
  route(
    app,
    operations.editImage,
    async ({ accountId, body, signal }) => {
      const jobs = images.jobsOf(accountId);
      const { id } = await images.submit(accountId, body, 'runsync');
      // Read again: a prompt that makes no sense has failed by now.
      return images.answer(await jobs.waitFor(jobs.get(id), WAIT_MS, signal));
    },
    MAX_RUNSYNC_BYTES,
  );
  route(
    app,
    { ...at(operations.runJob, '/image-edit/run'), body: ImageEditJobRequest },
    async ({ accountId, body }) => images.answer(await images.submit(accountId, body, 'run')),
    MAX_RUN_BYTES,
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
    async ({ accountId, parameters: { jobId }, query: { wait = DEFAULT_WAIT_MS }, signal }) => {
      const jobs = images.jobsOf(accountId);
      return images.answer(await jobs.waitFor(jobs.get(jobId), wait, signal));
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
