import { DEFAULT_WAIT_MS, MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES } from '../../contract/job.ts';
import { operations } from '../../contract/operations.ts';
import { healthOf, jobAnswer } from '../domain/job.ts';
import { summarize } from '../domain/worker.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import type { Services, App } from './services.ts';
import type { BodyThread } from '../http/bodyThread.ts';
import { deliver, route, submissionOf } from './route.ts';

/** Default wait of `stream` for a chunk, in ms. */
const STREAM_WAIT_MS = 10_000;

/** Routes for jobs of queue-based endpoints. */
export function jobRoutes(app: App, { engine, bodies }: Services): void {
  const parseLarge: BodyThread['request'] = (bytes, invalid) => bodies.request(bytes, invalid);
  const queueOf = (accountId: string, endpointId: string) => endpointsOf(engine, accountId).queue(endpointId);

  route(
    app,
    operations.runJob,
    async ({ accountId, parameters: { endpointId }, body, exchange }) =>
      jobAnswer(await queueOf(accountId, endpointId).submit(body, submissionOf(exchange, 'run'))),
    { maxBodyBytes: MAX_RUN_BYTES, parseLarge },
  );

  route(
    app,
    operations.runJobSync,
    async ({ accountId, parameters: { endpointId }, query, body, exchange }) => {
      const queue = queueOf(accountId, endpointId);
      const job = await queue.submit(body, submissionOf(exchange, 'runsync'));
      return jobAnswer(await queue.jobs.waitFor(job, query.wait ?? DEFAULT_WAIT_MS, exchange.signal));
    },
    { maxBodyBytes: MAX_RUN_SYNC_BYTES, parseLarge },
  );

  route(app, operations.getJobStatus, async ({ accountId, parameters: { endpointId, jobId }, query: { ttl } }) => {
    const { jobs } = queueOf(accountId, endpointId);
    return jobAnswer(ttl === undefined ? jobs.get(jobId) : await jobs.setTtl(jobId, ttl));
  });

  route(app, operations.getJobStatusSync, async ({ accountId, parameters: { endpointId, jobId }, query, exchange }) => {
    const { jobs } = queueOf(accountId, endpointId);
    return jobAnswer(await jobs.waitFor(jobs.get(jobId), query.wait ?? DEFAULT_WAIT_MS, exchange.signal));
  });

  route(app, operations.streamJob, async ({ accountId, parameters: { endpointId, jobId }, query, exchange }) => {
    const { jobs } = queueOf(accountId, endpointId);
    const { status, delivery } = await jobs.takeChunks(jobId, query.wait ?? STREAM_WAIT_MS, exchange.signal);
    if (delivery) deliver(exchange, delivery);
    return { status, stream: (delivery?.chunks ?? []).map((output) => ({ output })) };
  });

  route(app, operations.cancelJob, ({ accountId, parameters: { endpointId, jobId } }) =>
    jobAnswer(queueOf(accountId, endpointId).jobs.cancel(jobId)),
  );
  route(app, operations.retryJob, ({ accountId, parameters: { endpointId, jobId } }) =>
    jobAnswer(queueOf(accountId, endpointId).jobs.retry(jobId)),
  );
  route(app, operations.purgeQueue, async ({ accountId, parameters: { endpointId } }) => ({
    removed: await queueOf(accountId, endpointId).jobs.purge(),
    status: 'completed',
  }));

  route(app, operations.getEndpointHealth, ({ accountId, parameters: { endpointId } }) => {
    const queue = queueOf(accountId, endpointId);
    const { idle, initializing, running, throttled, unhealthy } = summarize(queue);
    return {
      jobs: healthOf(queue.jobs.counts()),
      workers: { idle, initializing, ready: idle + running + queue.standby, running, throttled, unhealthy },
    };
  });
}
