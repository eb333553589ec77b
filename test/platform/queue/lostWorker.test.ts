import assert from 'node:assert/strict';
import { FailureWorld, type FakeWorker } from '../failures/failureWorld.ts';
import { endpointsOf } from '../../../src/platform/endpoints/accountEndpoints.ts';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';

describe('A worker that ends right after its result has arrived', () => {
  let world: FailureWorld;

  beforeEach(async () => {
    world = await FailureWorld.open();
  });

  afterEach(() => world.close());

  it('loses only the jobs without a result', async () => {
    const endpointId = await world.createEndpoint();
    const ids = [await world.submit(endpointId), await world.submit(endpointId)];
    const worker = world.worker(endpointId);
    await world.succeeds(worker.take(2));
    const queue = endpointsOf(world.services.engine, OWNER_ACCOUNT_ID).queue(endpointId);
    // Results that arrive together are stored together, in a later turn of the event loop.
    void queue.finished(worker.workerId, ids[0] ?? '', { output: 1 }, false);
    worker.process.end({ code: 137, signal: null });
    await world.settle();
    const jobs = ids.map((id) => world.store.jobs.get(endpointId, id));
    assert.deepEqual(
      jobs.map((job) => [job?.status, job?.lostWorkers]),
      [
        ['COMPLETED', 0],
        ['IN_QUEUE', 1],
      ],
    );
  });
});

describe('A worker that crashes again', () => {
  let world: FailureWorld;

  beforeEach(async () => {
    world = await FailureWorld.open();
  });

  afterEach(() => world.close());

  const crash = { code: 1, signal: null };

  for (const [what, losesJob] of Object.entries({
    'with a job': () => Promise.resolve(),
    'after it has dropped a job without a result': async (worker: FakeWorker) => {
      for (let beat = 0; beat < 3; beat++) await worker.pingLater();
    },
    'after the response with a job was lost': (worker: FakeWorker, id: string) => {
      const { jobs } = world.services.engine;
      const lost = { job: jobs.get(worker.endpointId, id), request: world.store.jobs.request(id) };
      endpointsOf(world.services.engine, OWNER_ACCOUNT_ID).queue(worker.endpointId).undelivered(worker.workerId, lost);
      return Promise.resolve();
    },
  }))
    it(`${what} is started after a longer pause, because only a result shows that it is healthy`, async () => {
      const endpointId = await world.createEndpoint();
      await world.submit(endpointId);
      for (const pauseMs of [1_000, 2_000]) {
        const worker = world.worker(endpointId);
        await losesJob(worker, await worker.takeJob());
        worker.process.end(crash);
        await world.submit(endpointId);
        await world.advance(pauseMs - 1);
        assert.deepEqual(world.workers(endpointId), []);
        await world.advance(1);
      }
      assert.equal(world.workers(endpointId).length, 1);
    });
});
