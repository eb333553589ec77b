import assert from 'node:assert/strict';
import { progressText } from '../../../../src/features/jobs/batch/batchWords.ts';
import { resultLine } from '../../../../src/features/jobs/batch/model/resultTable.ts';

describe('texts of a batch', () => {
  it('say how long it takes only while it runs', () => {
    const counts = { pending: 60, sending: 0, accepted: 0, completed: 40, failed: 0, canceled: 0, uncertain: 0 };
    const running = { rows: 100, counts, inFlight: 0, perSecond: 2, secondsLeft: 30, usd: 0.001 };
    const text = (state: Partial<Parameters<typeof progressText>[0]>) =>
      String(progressText({ isPaused: false, obstacle: undefined, ...running, ...state }));
    assert.equal(text({}), '40 of 100 rows, 0 in flight, 2.0/s, 30 s left, about $0.001');
    assert.equal(text({ isPaused: true }), 'paused (40 of 100 rows, 0 in flight, about $0.001)');
  });

  it('have costs in whole nano-dollars', () => {
    const result = { row: 1, status: 'COMPLETED', executionTime: 1109 };
    assert.equal(resultLine(result, { reference: 1, price: 0.072 }).costUsd, 0.00002218);
  });
});
