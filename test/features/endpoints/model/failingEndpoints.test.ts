import assert from 'node:assert/strict';
import { failureChanges } from '../../../../src/features/endpoints/model/failingEndpoints.ts';
import { snapshot, workers } from '../sample.ts';

const ID = snapshot(workers()).endpoint.id;

/** Returns the IDs of the endpoint if it failed or recovered. */
function changes(known: boolean, ...statuses: string[]) {
  const { failing, recovered } = failureChanges([snapshot(workers(...statuses))], () => known);
  return { failing: failing.map(({ endpoint }) => endpoint.id), recovered };
}

describe('Endpoints whose workers fail', () => {
  it('are those with an unhealthy worker whose failure is not known', () => {
    assert.deepEqual(changes(false, 'IDLE', 'UNHEALTHY'), { failing: [ID], recovered: [] });
    assert.deepEqual(changes(true, 'IDLE', 'UNHEALTHY'), { failing: [], recovered: [] });
    assert.deepEqual(changes(false, 'IDLE'), { failing: [], recovered: [] });
  });

  it('recover once a worker runs and none is unhealthy', () => {
    assert.deepEqual(changes(true, 'IDLE'), { failing: [], recovered: [ID] });
    assert.deepEqual(changes(true, 'RUNNING', 'THROTTLED'), { failing: [], recovered: [ID] });
  });

  it('stay known without workers and while workers start', () => {
    for (const statuses of [[], ['INITIALIZING'], ['THROTTLED']])
      assert.deepEqual(changes(true, ...statuses), { failing: [], recovered: [] });
  });
});
