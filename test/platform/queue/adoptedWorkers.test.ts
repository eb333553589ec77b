import assert from 'node:assert/strict';
import { FailureWorld } from '../failures/failureWorld.ts';

/** Time limit of the job. */
const LIMIT_MS = 60_000;
/** Minimum time that a worker has to deliver a result after a restart. */
const RETURN_MS = 30_000;
/** Time that a restart takes. */
const RESTART_MS = 100;

describe('A worker that outlives its platform', () => {
  let world: FailureWorld;
  let endpointId: string;
  let id: string;

  beforeEach(async () => {
    world = await FailureWorld.open();
    world.runtime.outlivesPlatform = true;
    endpointId = await world.createEndpoint();
    await world.submit(endpointId, { policy: { executionTimeout: LIMIT_MS } });
    id = await world.worker(endpointId).takeJob();
  });

  afterEach(() => world.close());

  const job = () => {
    const { status, lostWorkers } = world.store.jobs.get(endpointId, id) ?? {};
    return [status, lostWorkers];
  };

  it('keeps its job, and can deliver the result', async () => {
    await world.kill();
    assert.deepEqual(job(), ['IN_PROGRESS', 0]);
    await world.succeeds(world.worker(endpointId).done(id));
    assert.deepEqual(job(), ['COMPLETED', 0]);
  });

  it('returns a job that it does not have to the queue', async () => {
    await world.kill();
    assert.equal(await world.worker(endpointId).takeJob(), id);
    assert.deepEqual(job(), ['IN_PROGRESS', 0]);
  });

  for (const [what, beforeMs, leftMs] of [
    ['for the rest of its time limit', 10_000, LIMIT_MS - 10_000],
    [`for at least ${RETURN_MS} ms`, LIMIT_MS - 1, RETURN_MS],
  ] as const)
    it(`keeps its job ${what}`, async () => {
      await world.advance(beforeMs);
      await world.kill();
      await world.advance(leftMs - RESTART_MS - 1);
      assert.deepEqual(job(), ['IN_PROGRESS', 0]);
      await world.advance(1);
      assert.deepEqual(job(), ['TIMED_OUT', 0]);
    });
});
