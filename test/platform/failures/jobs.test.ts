import assert from 'node:assert/strict';
import { IDEMPOTENCY_KEY_HEADER } from '../../../src/contract/job.ts';
import { operations } from '../../../src/contract/operations.ts';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import { endpointsOf } from '../../../src/platform/endpoints/accountEndpoints.ts';
import { PAUSE_MS } from '../../../src/platform/queue/webhookSender.ts';
import { HOOKS, type FailureWorld } from './failureWorld.ts';
import { runSync, sweep } from './sweep.ts';

const WEBHOOK = `${HOOKS}ended`;
const NO_WORKERS = { workers: { min: 0, max: 0 } };

interface Job {
  readonly endpointId: string;
  readonly id: string;
}

/** Submits a job to an endpoint without workers, and lets a caller wait for it. */
async function arrangeQueued(world: FailureWorld, rest: object = { webhook: WEBHOOK }): Promise<Job> {
  const endpointId = await world.createEndpoint(NO_WORKERS);
  const job = { endpointId, id: await world.submit(endpointId, rest) };
  world.call(operations.getJobStatusSync, { parameters: parametersOf(job), query: { wait: 300_000 } });
  await world.settle();
  return job;
}

/** Submits a job that a worker takes, and lets a caller wait for it. */
async function arrangeTaken(world: FailureWorld, rest: object = { webhook: WEBHOOK }): Promise<Job> {
  const endpointId = await world.createEndpoint();
  runSync(world, endpointId, rest);
  const id = await world.worker(endpointId).takeJob();
  return { endpointId, id };
}

/** Submits a job and lets it fail. */
async function arrangeFailed(world: FailureWorld): Promise<Job> {
  const job = await arrangeTaken(world);
  await world.succeeds(world.worker(job.endpointId).done(job.id, { error: 'broken' }));
  return job;
}

const parametersOf = ({ endpointId, id }: Job) => ({ endpointId, jobId: id });
const statusOf = ({ store }: FailureWorld, { endpointId, id }: Job) => store.jobs.get(endpointId, id)?.status;

/** Checks that webhooks reported only this status, and that it is stored. */
function assertReported(world: FailureWorld, job: Job, status: string): void {
  assert.equal(statusOf(world, job), status);
  assert.deepEqual([...new Set(world.webhooks.map(({ body }) => body.status))], [status]);
}

describe('Jobs on a full disk', () => {
  sweep({
    name: 'submitting a job',
    arrange: (world) => world.createEndpoint(NO_WORKERS),
    act: (world, endpointId) => world.run(endpointId, { webhook: WEBHOOK }),
  });
  sweep({
    name: 'submitting several jobs at once',
    arrange: (world) => world.createEndpoint(NO_WORKERS),
    act: (world, endpointId) => {
      const calls = [1, 2, 3].map(() => world.run(endpointId, { webhook: WEBHOOK }));
      return calls[0];
    },
  });
  sweep({
    name: 'submitting a job twice with the same key',
    arrange: (world) => world.createEndpoint(NO_WORKERS),
    act: (world, endpointId) => {
      const headers = { [IDEMPOTENCY_KEY_HEADER]: 'row-1' };
      const submission = { parameters: { endpointId }, body: { input: {} }, headers };
      const calls = [1, 2].map(() => world.call(operations.runJob, submission));
      return calls[0];
    },
  });
  sweep({
    name: 'submitting a job that a worker is waiting for',
    arrange: async (world) => {
      const endpointId = await world.createEndpoint();
      world.worker(endpointId).take();
      return endpointId;
    },
    act: (world, endpointId) => runSync(world, endpointId, { webhook: WEBHOOK }),
  });
  sweep({
    name: 'taking a job',
    arrange: async (world) => {
      const endpointId = await world.createEndpoint();
      await world.submit(endpointId);
      return endpointId;
    },
    act: (world, endpointId) => void world.worker(endpointId).take(),
  });
  sweep({
    name: 'taking a batch of jobs',
    arrange: async (world) => {
      const endpointId = await world.createEndpoint();
      for (let count = 0; count < 3; count++) await world.submit(endpointId);
      return endpointId;
    },
    act: (world, endpointId) => void world.worker(endpointId).take(3),
  });
  sweep({
    name: 'taking a job and disconnecting before the response',
    arrange: arrangeTaken,
    act: (world, { endpointId, id }) => {
      const queue = endpointsOf(world.services.engine, OWNER_ACCOUNT_ID).queue(endpointId);
      const job = world.services.engine.jobs.get(endpointId, id);
      queue.undelivered(world.worker(endpointId).workerId, { job, request: world.store.jobs.request(id) });
    },
    verify: (world, job) => assert.equal(statusOf(world, job), 'IN_QUEUE'),
  });
  sweep({
    name: 'reporting progress',
    arrange: arrangeTaken,
    act: (world, { endpointId, id }) =>
      world.worker(endpointId).done(id, { status: 'IN_PROGRESS', output: { percent: 50 } }),
  });
  sweep({
    name: 'streaming a chunk',
    arrange: async (world) => {
      const job = await arrangeTaken(world);
      const stream = world.call(operations.streamJob, { parameters: parametersOf(job), query: { wait: 300_000 } });
      await world.settle();
      return { ...job, stream };
    },
    act: (world, { endpointId, id }) => world.worker(endpointId).chunk(id, 'part'),
    verify: async (world, { stream, ...job }) => {
      const query = { wait: 1_000 };
      // A reader whose request was refused reads again.
      const isRefused = (stream.answer?.status ?? 0) >= 500;
      const read = isRefused ? world.call(operations.streamJob, { parameters: parametersOf(job), query }) : stream;
      assert.deepEqual(await world.succeeds(read), { status: 'IN_PROGRESS', stream: [{ output: 'part' }] });
    },
  });
  sweep({
    name: 'reading a stream',
    arrange: async (world) => {
      const job = await arrangeTaken(world);
      await world.succeeds(world.worker(job.endpointId).chunk(job.id, 'part'));
      return job;
    },
    act: (world, job) => world.call(operations.streamJob, { parameters: parametersOf(job), query: { wait: 300_000 } }),
  });
  const results = {
    'with an output': { output: 1 },
    'with an error': { error: 'broken' },
    'and stopping the worker': { output: 1, stopPod: true },
  };
  for (const [how, result] of Object.entries(results)) {
    sweep({
      name: `finishing a job ${how}`,
      arrange: arrangeTaken,
      act: (world, { endpointId, id }) => world.worker(endpointId).done(id, result),
      verify: (world, job) => assertReported(world, job, 'error' in result ? 'FAILED' : 'COMPLETED'),
    });
  }
  sweep({
    name: 'finishing a job with a webhook that the receiver refuses',
    arrange: (world) => {
      world.webhookStatus = 500;
      return arrangeTaken(world);
    },
    act: (world, { endpointId, id }) => world.worker(endpointId).done(id),
    verify: async (world, job) => {
      assertReported(world, job, 'COMPLETED');
      world.webhookStatus = 200;
      await world.advance(PAUSE_MS);
    },
  });
  sweep({
    name: 'canceling a waiting job',
    arrange: (world) => arrangeQueued(world),
    act: (world, job) => world.call(operations.cancelJob, { parameters: parametersOf(job) }),
    verify: (world, job) => assertReported(world, job, 'CANCELLED'),
  });
  sweep({
    name: 'canceling a running job',
    arrange: arrangeTaken,
    act: (world, job) => world.call(operations.cancelJob, { parameters: parametersOf(job) }),
    verify: (world, job) => assertReported(world, job, 'CANCELLED'),
  });
  sweep({
    name: 'retrying a job',
    arrange: arrangeFailed,
    act: (world, job) => world.call(operations.retryJob, { parameters: parametersOf(job) }),
    verify: (world, job) => assert.equal(statusOf(world, job), 'IN_QUEUE'),
  });
  sweep({
    name: 'purging a queue',
    arrange: async (world) => {
      const job = await arrangeQueued(world);
      await world.submit(job.endpointId);
      runSync(world, job.endpointId);
      await world.settle();
      return job;
    },
    act: (world, { endpointId }) => world.call(operations.purgeQueue, { parameters: { endpointId } }),
    verify: (world, job) => assertReported(world, job, 'CANCELLED'),
  });
  sweep({
    name: 'setting the time to live',
    arrange: async (world) => {
      const endpointId = await world.createEndpoint(NO_WORKERS);
      return { endpointId, id: await world.submit(endpointId) };
    },
    act: (world, job) => world.call(operations.getJobStatus, { parameters: parametersOf(job), query: { ttl: 60_000 } }),
  });
  sweep({
    name: 'the expiry of a waiting job',
    arrange: (world) => arrangeQueued(world, { webhook: WEBHOOK, policy: { ttl: 10_000 } }),
    act: (world) => world.advance(10_000),
    verify: (world, job) => {
      assert.equal(statusOf(world, job), undefined);
      assert.deepEqual([...new Set(world.webhooks.map(({ body }) => body.status))], ['TIMED_OUT']);
    },
  });
  sweep({
    name: 'the expiry of a running job',
    arrange: (world) => arrangeTaken(world, { webhook: WEBHOOK, policy: { ttl: 10_000 } }),
    act: (world) => world.advance(10_000),
    verify: (world, job) => assert.equal(statusOf(world, job), undefined),
  });
  sweep({
    name: 'the execution timeout of a job',
    arrange: (world) => arrangeTaken(world, { webhook: WEBHOOK, policy: { executionTimeout: 10_000 } }),
    act: (world) => world.advance(10_000),
    verify: (world, job) => assertReported(world, job, 'TIMED_OUT'),
  });
});
