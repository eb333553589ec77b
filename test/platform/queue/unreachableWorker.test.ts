import assert from 'node:assert/strict';
import { FailureWorld, type FakeWorker } from '../failures/failureWorld.ts';

describe('A worker whose engine cannot be reached', () => {
  let world: FailureWorld;
  let endpointId: string;
  let worker: FakeWorker;

  beforeEach(async () => {
    world = await FailureWorld.open();
    endpointId = await world.createEndpoint();
    worker = world.worker(endpointId);
  });

  afterEach(() => world.close());

  const job = (id: string) => {
    const { status, lostWorkers } = world.store.jobs.get(endpointId, id) ?? {};
    return [status, lostWorkers];
  };

  it('receives jobs only through requests that it has sent since then', async () => {
    const [before, stop] = [worker.take(), worker.toStop()];
    await world.settle();
    worker.process.setReachable('the node does not report');
    const id = await world.submit(endpointId);
    await world.settle();
    assert.deepEqual([before.answer?.status, stop.answer?.status, ...job(id)], [204, 204, 'IN_QUEUE', 0]);
    await world.succeeds(worker.take());
    assert.deepEqual(job(id), ['IN_PROGRESS', 0]);
  });

  it('receives no job through a request that it sent before its engine was back', async () => {
    worker.process.setReachable('the node does not report');
    const before = worker.take();
    await world.settle();
    worker.process.setReachable(undefined);
    await world.submit(endpointId);
    await world.settle();
    assert.equal(before.answer?.status, 204);
  });

  it('returns a job to the queue that it received in the meantime, and does not have afterward', async () => {
    worker.process.setReachable('the node does not report');
    const id = await world.submit(endpointId);
    await world.succeeds(worker.take());
    worker.process.setReachable(undefined);
    assert.equal((await world.succeeds<{ id: string }>(worker.take())).id, id);
    assert.deepEqual(job(id), ['IN_PROGRESS', 1]);
  });

  it('returns a job to the queue if it does not have the job afterward', async () => {
    const id = await world.submit(endpointId);
    await world.succeeds(worker.take());
    worker.process.setReachable('the node does not report');
    worker.process.setReachable(undefined);
    // This request takes the same job again.
    assert.equal((await world.succeeds<{ id: string }>(worker.take())).id, id);
    assert.deepEqual(job(id), ['IN_PROGRESS', 1]);
  });

  for (const [how, name] of Object.entries({
    'a heartbeat': (id: string) => worker.ping(id),
    'a progress report': (id: string) => worker.done(id, { status: 'IN_PROGRESS', output: 1 }),
    'a part of its output': (id: string) => worker.chunk(id, 1),
  })) {
    it(`fails a job that it has named since then in ${how}, and has no result for`, async () => {
      const id = await world.submit(endpointId);
      await world.succeeds(worker.take());
      worker.process.setReachable('the node does not report');
      await world.succeeds(name(id));
      worker.take();
      await world.settle();
      assert.deepEqual(job(id), ['FAILED', 0]);
    });
  }

  it('fails a job that was lost on its way three times', async () => {
    const id = await world.submit(endpointId);
    await world.succeeds(worker.take());
    for (let loss = 1; loss <= 3; loss++) {
      worker.process.setReachable('the node does not report');
      worker.process.setReachable(undefined);
      worker.take();
      await world.settle();
    }
    assert.deepEqual(job(id), ['FAILED', 3]);
  });
});
