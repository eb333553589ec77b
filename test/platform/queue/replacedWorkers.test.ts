import assert from 'node:assert/strict';
import { operations } from '../../../src/contract/operations.ts';
import { FailureWorld } from '../failures/failureWorld.ts';

describe('Workers of an endpoint whose maximum is 0 for a moment', () => {
  let world: FailureWorld;

  beforeEach(async () => {
    world = await FailureWorld.open();
  });

  afterEach(() => world.close());

  const limit = (id: string, workers: { min: number; max: number }) =>
    world.succeeds(world.call(operations.updateEndpoint, { parameters: { id }, body: { workers } }));

  it('are replaced, also right after another scaling decision', async () => {
    const id = await world.createEndpoint();
    const before = world.worker(id).process;
    await world.submit(id);
    await limit(id, { min: 0, max: 0 });
    await limit(id, { min: 1, max: 1 });
    await world.advance(100);
    const [after, ...others] = world.workers(id);
    assert.ok(after, 'a worker is up');
    assert.notEqual(after.process, before);
    assert.deepEqual(others, []);
  });
});
