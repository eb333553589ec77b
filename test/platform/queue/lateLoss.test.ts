import assert from 'node:assert/strict';
import { operations } from '../../../src/contract/operations.ts';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import type { TakenJob } from '../../../src/platform/queue/jobQueue.ts';
import { endpointsOf } from '../../../src/platform/endpoints/accountEndpoints.ts';
import { FailureWorld, type FakeWorker } from '../failures/failureWorld.ts';

describe('The late loss of a response with an earlier attempt of a job', () => {
  let world: FailureWorld;
  let endpointId: string;
  let first: FakeWorker;
  let lost: TakenJob;

  beforeEach(async () => {
    world = await FailureWorld.open();
    endpointId = await world.createEndpoint({ workers: { min: 2, max: 2, idleTimeout: 3600 } });
    [first] = world.workers(endpointId) as [FakeWorker, FakeWorker];
    const id = await world.submit(endpointId);
    assert.equal(await first.takeJob(), id);
    lost = { job: world.services.engine.jobs.get(endpointId, id), request: world.store.jobs.request(id) };
    await world.succeeds(first.done(id, { error: 'broken' }));
    await world.succeeds(world.call(operations.retryJob, { parameters: { endpointId, jobId: id } }));
  });

  afterEach(() => world.close());

  const loseFirstAttempt = () =>
    endpointsOf(world.services.engine, OWNER_ACCOUNT_ID).queue(endpointId).undelivered(first.workerId, lost);

  for (const [whose, takerIndex] of [
    ['the same worker', 0],
    ['another worker', 1],
  ] as const) {
    it(`leaves the next attempt with ${whose}`, async () => {
      const taker = world.workers(endpointId)[takerIndex];
      assert.equal(await taker?.takeJob(), lost.job.id);
      loseFirstAttempt();
      await world.settle();
      assert.deepEqual(taker?.jobs(), [lost.job.id]);
      await world.succeeds(taker.done(lost.job.id));
      assert.equal(world.store.jobs.get(endpointId, lost.job.id)?.status, 'COMPLETED');
    });
  }

  it('leaves the place of the next attempt in the queue', () => {
    const before = world.store.jobs.get(endpointId, lost.job.id);
    loseFirstAttempt();
    assert.deepEqual(world.store.jobs.get(endpointId, lost.job.id), before);
  });
});

describe('The loss of a response with a job', () => {
  let world: FailureWorld;

  beforeEach(async () => {
    world = await FailureWorld.open();
  });

  afterEach(() => world.close());

  it('gives the job to another worker that waits for one', async () => {
    const endpointId = await world.createEndpoint({ workers: { min: 2, max: 2, idleTimeout: 3600 } });
    const [first, second] = world.workers(endpointId) as [FakeWorker, FakeWorker];
    const id = await world.submit(endpointId);
    await first.takeJob();
    const waiting = second.take();
    await world.settle();
    const { jobs } = world.services.engine;
    const lost = { job: jobs.get(endpointId, id), request: world.store.jobs.request(id) };
    endpointsOf(world.services.engine, OWNER_ACCOUNT_ID).queue(endpointId).undelivered(first.workerId, lost);
    assert.equal((await world.succeeds<{ id: string }>(waiting)).id, id);
  });
});
