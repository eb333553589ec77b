import assert from 'node:assert/strict';
import { cleanUp, platformForTest } from '../support.ts';
import { helloProcess, replay, serialProcess } from './replay.ts';
import { USD_PER_SECOND } from './virtualPlatform.ts';

describe('The prediction of a run', function () {
  this.timeout(120_000);
  afterEach(cleanUp);

  it('has the starts and the cost of real workers', async () => {
    const { api } = await platformForTest();
    const body = {
      ...{ ...helloProcess, env: { LOAD_SECONDS: '1' } },
      ...{ scaling: { type: 'REQUEST_COUNT', requestCount: 3 } as const, workers: { min: 0, max: 2 } },
    };
    const { measured, predicted } = await replay(
      api,
      body,
      Array.from({ length: 6 }, () => ({ at: 0, seconds: 1 })),
    );
    assert.deepEqual([measured.completed, predicted.completed], [6, 6]);
    assert.deepEqual([measured.coldStarts, predicted.coldStarts], [2, 2]);
    // A real process takes a moment to end, and each begun second is charged.
    const differenceSeconds = (measured.usd - predicted.usd) / USD_PER_SECOND;
    assert.ok(Math.abs(differenceSeconds) <= 2 * measured.coldStarts, `${differenceSeconds} s`);
  });

  it('has the starts and the requests of real load-balanced workers', async () => {
    const { api } = await platformForTest();
    const body = {
      ...{ ...serialProcess, type: 'LOAD_BALANCER' as const, env: { LOAD_SECONDS: '1' } },
      ...{ scaling: { type: 'REQUEST_COUNT', requestCount: 3 } as const, workers: { min: 0, max: 2 } },
    };
    const { measured, predicted } = await replay(
      api,
      body,
      Array.from({ length: 6 }, () => ({ at: 0, seconds: 1 })),
    );
    assert.deepEqual([measured.completed, predicted.completed], [6, 6]);
    assert.deepEqual([measured.coldStarts, predicted.coldStarts], [2, 2]);
  });
});
