import { DEFAULT_WAIT_MS } from '../../contract/job.ts';
import { operations } from '../../contract/operations.ts';
import { jobAnswer } from '../domain/job.ts';
import { summarize } from '../domain/worker.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import type { Services } from './services.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

/** Largest job bodies, in bytes (facts, section 4e). */
const MAX_RUN_BYTES = 10 * 1_048_576;
const MAX_RUNSYNC_BYTES = 20 * 1_048_576;

/** How long `stream` waits for a chunk when the call does not say, in ms (facts, section 4a). */
const STREAM_WAIT_MS = 10_000;

/** The queue: jobs of queue-based endpoints (interface document, Endpoints 2 to 4; facts, section 4). */
export function jobRoutes(app: App, { engine, store }: Services): void {
  const { jobs } = engine;

  route(
    app,
    operations.runJob,
    async ({ accountId, parameters: { endpointId }, body }) =>
      jobAnswer(await endpointsOf(engine, accountId).submit(endpointId, body, 'run')),
    MAX_RUN_BYTES,
  );

  route(
    app,
    operations.runJobSync,
    async ({ accountId, parameters: { endpointId }, query, body, signal }) => {
      const job = await endpointsOf(engine, accountId).submit(endpointId, body, 'runsync');
      return jobAnswer(await jobs.waitFor(job, query.wait ?? DEFAULT_WAIT_MS, signal));
    },
    MAX_RUNSYNC_BYTES,
  );

  route(app, operations.getJobStatus, async ({ accountId, parameters: { endpointId, jobId }, query }) => {
    endpointsOf(engine, accountId).queue(endpointId);
    if (query.ttl === undefined) return jobAnswer(jobs.get(endpointId, jobId));
    const job = jobs.setTtl(endpointId, jobId, query.ttl);
    await store.durable();
    return jobAnswer(job);
  });

  route(app, operations.getJobStatusSync, async ({ accountId, parameters: { endpointId, jobId }, query, signal }) => {
    endpointsOf(engine, accountId).queue(endpointId);
    const job = jobs.get(endpointId, jobId);
    return jobAnswer(await jobs.waitFor(job, query.wait ?? DEFAULT_WAIT_MS, signal));
  });

  route(app, operations.streamJob, async ({ accountId, parameters: { endpointId, jobId }, query, signal }) => {
    endpointsOf(engine, accountId).queue(endpointId);
    const { status, stream } = await jobs.takeChunks(endpointId, jobId, query.wait ?? STREAM_WAIT_MS, signal);
    return { status, stream: stream.map((output) => ({ output })) };
  });

  route(app, operations.cancelJob, ({ accountId, parameters: { endpointId, jobId } }) =>
    jobAnswer(endpointsOf(engine, accountId).cancel(endpointId, jobId)),
  );
  route(app, operations.retryJob, ({ accountId, parameters: { endpointId, jobId } }) =>
    jobAnswer(endpointsOf(engine, accountId).retry(endpointId, jobId)),
  );
  route(app, operations.purgeQueue, async ({ accountId, parameters: { endpointId } }) => ({
    removed: await endpointsOf(engine, accountId).purge(endpointId),
    status: 'completed',
  }));

  route(app, operations.getEndpointHealth, ({ accountId, parameters: { endpointId } }) => {
    const queue = endpointsOf(engine, accountId).queue(endpointId);
    const { idle, initializing, running, throttled, unhealthy } = summarize(queue);
    const counts = store.jobs.count(endpointId);
    return {
      jobs: {
        completed: counts.COMPLETED,
        failed: counts.FAILED,
        inProgress: counts.IN_PROGRESS,
        inQueue: counts.IN_QUEUE,
        retried: counts.retries,
      },
      workers: { idle, initializing, ready: idle + running + queue.standby, running, throttled, unhealthy },
    };
  });
}
