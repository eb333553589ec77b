import assert from 'node:assert/strict';
import {
  canRetry,
  cancelJobs,
  retryJob,
  purgeQueue,
  readQueue,
} from '../../../../src/features/jobs/actions/changeJobs.ts';
import { submitJobs } from '../../../../src/features/jobs/actions/submitJob.ts';
import { json, type Script } from '../../../client/scriptedServer.ts';
import { answering, CONNECTION, stored, withJobs } from './world.ts';

const canceling =
  (refusal: number): Script =>
  ({ method, path }, response) => {
    const id = path.split('/').at(-1) ?? '';
    if (id === 'ended' && method === 'POST') json(response, refusal, { error: 'the job has ended' });
    else if (id === 'unknown') json(response, 404, { error: 'job not found' });
    else json(response, 200, { id, status: id === 'ended' ? 'COMPLETED' : 'CANCELLED' });
  };

describe('Canceling jobs', () => {
  it('records the state of each job, and accepts one that has ended or no longer exists', async () => {
    const jobs = ['running', 'ended', 'unknown'].map((id) => stored(id));
    await withJobs(jobs, canceling(400), async (world) => {
      assert.deepEqual(await cancelJobs(jobs, world), []);
      assert.deepEqual(world.statuses(), ['running CANCELLED', 'ended COMPLETED', 'unknown gone']);
    });
  });

  it('returns the jobs that were not canceled', async () => {
    const jobs = ['running', 'ended'].map((id) => stored(id));
    await withJobs(jobs, canceling(403), async (world) => {
      const [failure, ...others] = await cancelJobs(jobs, world);
      assert.deepEqual([failure?.job.id, failure?.error.kind, others], ['ended', 'forbidden', []]);
      assert.deepEqual(world.statuses(), ['running CANCELLED', 'ended IN_QUEUE']);
    });
  });

  it('sends no request for a job that has ended', async () => {
    await withJobs([stored('1', { status: 'COMPLETED' })], answering({}), async (world) => {
      await cancelJobs(world.history.recent(CONNECTION), world);
      assert.deepEqual(world.calls(), []);
    });
  });
});

describe('Retrying a job', () => {
  const failed = stored('1', {
    status: 'FAILED',
    delayTime: 1,
    executionTime: 2,
    workerId: 'w',
    endedAt: 3,
    pricePerHour: 1,
  });

  it('follows the job again, without the times and the worker of the first run', async () => {
    await withJobs([failed], answering({ 1: 'IN_QUEUE' }), async (world) => {
      await retryJob(failed, world);
      assert.deepEqual(world.calls(), ['POST /e/retry/1']);
      assert.deepEqual(
        world.history.find(CONNECTION, '1'),
        stored('1', { submittedAt: 9_000, answeredAt: 9_000, pricePerHour: 1 }),
      );
      assert.deepEqual(world.tracked, ['1']);
    });
  });

  it('is possible only for failed and timed-out jobs that the platform still has', () => {
    const possible = ['IN_QUEUE', 'COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED'].filter((status) =>
      canRetry(stored('1', { status })),
    );
    assert.deepEqual(possible, ['FAILED', 'TIMED_OUT']);
    assert.equal(canRetry(stored('1', { status: 'FAILED', gone: true })), false);
  });

  it('marks a job that the platform no longer has', async () => {
    await withJobs([failed], answering({}), async (world) => {
      await assert.rejects(retryJob(failed, world), { kind: 'notFound' });
      assert.deepEqual(world.statuses(), ['1 gone']);
    });
  });
});

describe('Submitting several requests again', () => {
  const order = (endpointId: string) => ({ endpointId, endpointName: 'hello', body: { input: { n: endpointId } } });
  it('records and follows each job, and stores its request', async () => {
    const script: Script = ({ path }, response) =>
      json(response, 200, { id: `job-${path.split('/').at(-2)}`, status: 'IN_QUEUE' });
    await withJobs([], script, async (world) => {
      const secret = { input: { api_key: 'k3Jx9Qz7Lm2Vb8Nc5Ty1Ws' } };
      const second = { ...order('2'), body: secret, pricePerHour: 1, file: 'file:///a' };
      const failures = await submitJobs([order('1'), second], world);
      assert.deepEqual(failures, []);
      assert.deepEqual(world.received.map(({ body }) => body).sort(), [JSON.stringify(secret), '{"input":{"n":"1"}}']);
      const of = (id: string) => world.history.find(CONNECTION, id);
      assert.deepEqual(
        of('job-1'),
        stored('job-1', { endpointId: '1', submittedAt: 9_000, answeredAt: 9_000, firstValue: '1' }),
      );
      assert.deepEqual(
        of('job-2'),
        stored('job-2', {
          endpointId: '2',
          submittedAt: 9_000,
          answeredAt: 9_000,
          pricePerHour: 1,
          file: 'file:///a',
          notStored: 'secret',
        }),
      );
      assert.deepEqual(
        [world.requested.sort(), world.tracked.sort()],
        [
          ['job-1', 'job-2'],
          ['job-1', 'job-2'],
        ],
      );
    });
  });

  it('returns the requests that were not accepted', async () => {
    const script: Script = ({ path }, response) =>
      path.includes('/1/')
        ? json(response, 404, { error: 'no such endpoint' })
        : json(response, 200, { id: 'j', status: 'IN_QUEUE' });
    await withJobs([], script, async (world) => {
      const failures = await submitJobs([order('1'), order('2')], world);
      assert.deepEqual(
        failures.map(({ job, error }) => [job.endpointId, error.kind]),
        [['1', 'notFound']],
      );
      assert.deepEqual(world.statuses(), ['j IN_QUEUE']);
    });
  });
});

const purging: Script = ({ path }, response) => {
  if (path.endsWith('/health'))
    json(response, 200, {
      jobs: { completed: 0, failed: 0, inProgress: 2, inQueue: 12, retried: 0 },
      workers: { idle: 0, running: 0 },
    });
  else if (path.endsWith('/purge-queue')) json(response, 200, { removed: 11, status: 'completed' });
  else json(response, 200, { id: path.split('/').at(-1), status: 'CANCELLED' });
};

describe('Purging a queue', () => {
  it('is preceded by the numbers of waiting and running jobs', async () => {
    await withJobs([], purging, async ({ client }) => {
      assert.deepEqual(await readQueue(client, 'e'), { waiting: 12, running: 2 });
    });
  });

  it('returns the number of removed jobs, and reads the jobs of the endpoint that waited', async () => {
    const jobs = [
      stored('waiting'),
      stored('running', { status: 'IN_PROGRESS' }),
      stored('elsewhere', { endpointId: 'other' }),
      stored('ended', { status: 'COMPLETED' }),
    ];
    await withJobs(jobs, purging, async (world) => {
      assert.equal(await purgeQueue('e', world), 11);
      assert.deepEqual(world.calls(), ['POST /e/purge-queue', 'GET /e/status/waiting']);
      assert.deepEqual(world.statuses(), [
        'waiting CANCELLED',
        'running IN_PROGRESS',
        'elsewhere IN_QUEUE',
        'ended COMPLETED',
      ]);
    });
  });
});
