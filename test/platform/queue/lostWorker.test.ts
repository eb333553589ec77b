import assert from 'node:assert/strict';
import { FailureWorld } from '../failures/failureWorld.ts';
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
