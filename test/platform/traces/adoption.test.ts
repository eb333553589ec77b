import assert from 'node:assert/strict';
import { FailureWorld } from '../failures/failureWorld.ts';
import { kindsOf, partsOf, spanOf, spansOf } from './support.ts';

describe('Trace of a job after the platform was killed', () => {
  let world: FailureWorld;

  beforeEach(async () => {
    world = await FailureWorld.open();
  });

  afterEach(() => world.close());

  const traceOf = (endpointId: string, id: string) => world.services.engine.traces.ofJob(endpointId, id);

  it('waits for a worker that the next platform took over', async () => {
    world.runtime.outlivesPlatform = true;
    const endpointId = await world.createEndpoint();
    const first = await world.submit(endpointId);
    assert.equal(await world.worker(endpointId).takeJob(), first);
    const second = await world.submit(endpointId);
    await world.advance(1_000);
    await world.kill();
    await world.advance(1_000);
    assert.deepEqual(kindsOf(traceOf(endpointId, second)), ['queued', 'waitingForBusyWorkers']);
    await world.succeeds(world.worker(endpointId).done(first));
    await world.worker(endpointId).takeJob();
    assert.deepEqual(kindsOf(traceOf(endpointId, second)), ['queued', 'waitingForBusyWorkers', 'running']);
    assert.deepEqual(spansOf(traceOf(endpointId, first), 'running').length, 1);
  });

  it('waits for another worker if its own was ended', async () => {
    const endpointId = await world.createEndpoint({ workers: { min: 0, max: 1 } });
    const id = await world.submit(endpointId);
    await world.advance(100);
    await world.worker(endpointId).takeJob();
    await world.advance(1_000);
    await world.kill();
    await world.advance(1_000);
    const trace = traceOf(endpointId, id);
    assert.equal(spanOf(trace, 'running').outcome, 'returned');
    const [, queued] = spansOf(trace, 'queued');
    assert.ok(queued);
    const next = { spans: trace.spans.filter(({ start }) => start >= queued.start) };
    assert.ok(partsOf(next).includes('coldStart'));
    assert.ok(!partsOf(next).includes('waitingForBusyWorkers'));
  });
});
