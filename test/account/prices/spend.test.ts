import assert from 'node:assert/strict';
import { accountSpendOf, spendOf } from '../../../src/account/prices/spend.ts';
import { dailyReport } from '../../features/spend/sample.ts';

describe('The spend in a report', () => {
  it('is that of the current day and the current month of the service', () => {
    const report = dailyReport(
      { '2026-02-28': 7, '2026-03-01': 1.1, '2026-03-02': 0.2, '2026-03-03': 0.1 },
      '2026-03-04T00:00:00Z',
    );
    assert.deepEqual(spendOf(report), { today: 0.1, month: 1.4, monthName: '2026-03' });
  });

  it('is zero for an account without use', () => {
    assert.deepEqual(spendOf(dailyReport({}, '2026-03-04T00:00:00Z')), { today: 0, month: 0, monthName: '2026-03' });
  });

  it('of today is zero if the service omits days without spend', () => {
    const report = dailyReport({ '2026-03-02': 2 }, '2026-03-04T00:00:00Z');
    assert.deepEqual(spendOf(report), { today: 0, month: 2, monthName: '2026-03' });
  });

  it('is right if the window ends within the current day', () => {
    const report = dailyReport({ '2026-03-31': 2, '2026-04-01': 3 }, '2026-04-01T00:00:01Z');
    assert.deepEqual(spendOf(report), { today: 3, month: 3, monthName: '2026-04' });
  });

  it('does not depend on the clock of this machine', () => {
    const report = dailyReport({ '2026-03-02': 2, '2026-03-03': 1 }, '2026-03-04T00:00:00Z');
    const at = (time: string) => accountSpendOf(report, Date.parse(time));
    for (const time of ['1970-01-01T00:00:00Z', '2026-03-03T12:00:00Z', '2031-07-05T00:00:00Z']) {
      const { today, month, forecast } = at(time);
      assert.deepEqual([today, month, forecast.spent, forecast.month.start], [1, 3, 3, Date.UTC(2026, 2)], time);
    }
  });

  it('adds up several records of a day', () => {
    const report = dailyReport({ '2026-03-03': 0.1 }, '2026-03-04T00:00:00Z');
    const records = [...report.records, ...report.records, ...report.records];
    assert.equal(spendOf({ ...report, records }).today, 0.3);
  });
});
