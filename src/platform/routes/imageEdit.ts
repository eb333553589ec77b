import { IMAGE_EDIT_WAIT_MS, ImageEditJobRequest } from '../../contract/imageEdit.ts';
import { DEFAULT_WAIT_MS, MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES } from '../../contract/job.ts';
import { operations } from '../../contract/operations.ts';
import type { Operation } from '../../contract/operation.ts';
import { healthOf } from '../domain/job.ts';
import type { Services } from './services.ts';
import type { App } from './app.ts';
import { route } from './route.ts';
import { submissionKey } from './submissionKey.ts';

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
    async ({ accountId, body, header, query: { wait = IMAGE_EDIT_WAIT_MS }, signal }) => {
      const jobs = images.jobsOf(accountId);
      const { id } = await images.submit(accountId, body, 'runsync', submissionKey(header));
      // Reads the job again, because a job with an unknown instruction has already failed.
      return images.answer(await jobs.waitFor(jobs.get(id), wait, signal));
    },
    { maxBodyBytes: MAX_RUN_SYNC_BYTES },
  );
  route(
    app,
    { ...at(operations.runJob, '/image-edit/run'), body: ImageEditJobRequest },
    async ({ accountId, body, header }) =>
      images.answer(await images.submit(accountId, body, 'run', submissionKey(header))),
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
