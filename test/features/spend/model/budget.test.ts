import assert from 'node:assert/strict';
import {
  dueWarning,
  parseBudget,
  percentSpent,
  type LastWarning,
} from '../../../../src/features/spend/model/budget.ts';

const march = (month: number) => ({ month, monthName: '2026-03' });

describe('A budget', () => {
  it('causes a warning at 50, 80, and 100 %, once each', () => {
    let last: LastWarning | undefined;
    const reported: number[] = [];
    for (const spent of [0, 49.99, 50, 50, 79.9, 80, 99, 100, 100, 250]) {
      const due = dueWarning(march(spent), 100, last);
      if (due) reported.push(due.threshold);
      last = due ?? last;
    }
    assert.deepEqual(reported, [50, 80, 100]);
  });

  it('causes only the highest warning if several are due', () => {
    const due = dueWarning(march(85), 100, undefined);
    assert.deepEqual(due, { monthName: '2026-03', budget: 100, threshold: 80 });
    assert.equal(dueWarning(march(60), 100, due), undefined);
  });

  it('starts again with a new month or another budget', () => {
    const last = { monthName: '2026-03', budget: 100, threshold: 100 };
    assert.equal(dueWarning({ month: 50, monthName: '2026-04' }, 100, last)?.threshold, 50);
    assert.equal(dueWarning(march(100), 200, last)?.threshold, 50);
    assert.equal(dueWarning(march(100), 100, last), undefined);
  });

  it('counts a sum with rounding errors as reached, and rounds down otherwise', () => {
    assert.equal(percentSpent(0.1 + 0.2, 0.3), 100);
    assert.equal(percentSpent(0.29, 0.29), 100);
    assert.equal(percentSpent(99.99, 100), 99);
  });

  it('is read from text', () => {
    const texts = ['50', ' $49.90 ', '1,200', '', '$', '-5', '1e3', 'ten', '1,20', '0.001', 'Infinity'];
    const read = [50, 49.9, 1200, 0, 0, undefined, undefined, undefined, undefined, undefined, undefined];
    assert.deepEqual(texts.map(parseBudget), read);
  });
});
