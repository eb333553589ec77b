import assert from 'node:assert/strict';
import { StartError, type RunningWorker } from '../../../src/platform/runtimes/runtime.ts';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import { endpointsOf } from '../../../src/platform/endpoints/accountEndpoints.ts';
import { FailureWorld } from '../failures/failureWorld.ts';

/** Time after which a worker whose start failed starts again, in ms. */
const RESTART_MS = 5_000;

describe('A worker that takes jobs before its start is reported', () => {
  let world: FailureWorld;
  let starting: PromiseWithResolvers<RunningWorker>;
  let endpointId: string;
  let id: string;

  beforeEach(async () => {
    world = await FailureWorld.open();
    const { start } = world.runtime;
    starting = Promise.withResolvers();
    world.runtime.start = async (spec, options) => {
      await start(spec, options);
      options.signal.addEventListener('abort', () => starting.reject(options.signal.reason as Error));
      world.runtime.start = start;
      return starting.promise;
    };
    endpointId = await world.createEndpoint();
    id = await world.submit(endpointId);
  });

  afterEach(() => world.close());

  const job = () => {
    const { status, lostWorkers } = world.store.jobs.get(endpointId, id) ?? {};
    return [status, lostWorkers];
  };

  it('returns them to the queue if its start fails, for the next process', async () => {
    const lost = world.worker(endpointId);
    assert.equal(await lost.takeJob(), id);
    starting.reject(new StartError('the node was lost'));
    await world.settle();
    assert.deepEqual(job(), ['IN_QUEUE', 1]);
    lost.process.end();
    await world.advance(RESTART_MS);
    assert.equal(await world.worker(endpointId).takeJob(), id);
    assert.deepEqual(job(), ['IN_PROGRESS', 1]);
  });

  it('returns them to the queue if its start is aborted', async () => {
    assert.equal(await world.worker(endpointId).takeJob(), id);
    const queue = endpointsOf(world.services.engine, OWNER_ACCOUNT_ID).queue(endpointId);
    void queue.close('the platform stops');
    await world.settle();
    assert.deepEqual(job(), ['IN_QUEUE', 0]);
  });

  it('leaves no open request behind if its start fails', async () => {
    await world.succeeds(world.worker(endpointId).take());
    const open = world.worker(endpointId).take(1, { hasJobs: true });
    await world.settle();
    starting.reject(new StartError('the node was lost'));
    await world.settle();
    assert.equal(open.answer?.status, 204);
  });
});
