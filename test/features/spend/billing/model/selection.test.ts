import assert from 'node:assert/strict';
import { BillingQuery } from '../../../../../src/contract/billing.ts';
import {
  bucketSizesOf,
  completed,
  problemOf,
  queryOf,
  selectionOf,
} from '../../../../../src/features/spend/billing/model/selection.ts';
import { KeptSelection, type BillingPeriod } from '../../../../../src/webviews/billing/messages.ts';
import { selection } from '../../../../webviews/billing/sample.ts';

const NOW = Date.parse('2025-12-21T14:30:00Z');
const PERIODS: readonly BillingPeriod[] = ['day', 'week', 'month', 'year', 'thisMonth', 'lastMonth', 'last', 'custom'];

describe('the selection of the billing view', () => {
  it('becomes a valid query for each period and bucket size', () => {
    for (const period of PERIODS)
      for (const bucketSize of bucketSizesOf(period)) {
        const times = { start: '2025-11-01T00:00:00Z', end: '2025-11-02T00:00:00Z' };
        const one = selection({ period, bucketSize, ...times });
        assert.equal(problemOf(one), undefined);
        const query = JSON.parse(JSON.stringify(queryOf(one, NOW))) as Record<string, unknown>;
        const sent = { ...query, ...('lastN' in query && { lastN: String(query['lastN']) }) };
        assert.equal(BillingQuery.safeParse(sent).success, true, `${period} ${bucketSize} ${JSON.stringify(query)}`);
      }
  });

  it('offers each bucket size for free periods', () => {
    for (const period of ['last', 'custom'] as const)
      assert.deepEqual(bucketSizesOf(period), ['hour', 'day', 'week', 'month', 'year']);
  });

  it('takes calendar months from the time of the service', () => {
    assert.deepEqual(queryOf(selectionOf('thisMonth'), NOW), {
      bucketSize: 'day',
      startTime: '2025-12-01T00:00:00.000Z',
    });
    assert.deepEqual(queryOf(selectionOf('lastMonth'), Date.parse('2026-01-01T00:00Z')), {
      bucketSize: 'day',
      startTime: '2025-12-01T00:00:00.000Z',
      endTime: '2026-01-01T00:00:00.000Z',
    });
  });

  it('gives a new period the bucket size that suits it, and keeps the size of the same period', () => {
    const before = selection({ period: 'day', bucketSize: 'hour' });
    assert.equal(completed({ ...before, period: 'year' }, before, undefined).bucketSize, 'month');
    const year = selection({ period: 'year', bucketSize: 'hour' });
    assert.equal(completed(year, selection({ period: 'year', bucketSize: 'day' }), undefined).bucketSize, 'hour');
    assert.equal(completed({ ...year, period: 'last' }, year, undefined).bucketSize, 'hour');
  });

  it('begins a custom period with the window that is shown', () => {
    const shown = { start: Date.parse('2025-11-01T00:00Z'), end: Date.parse('2025-12-01T00:00Z') };
    const { start, end } = completed(selection({ period: 'custom' }), selection({}), shown);
    assert.deepEqual([start, end], ['2025-11-01T00:00:00.000Z', '2025-12-01T00:00:00.000Z']);
  });

  it('reports why it cannot be read', () => {
    const last = (count: number) => problemOf(selection({ period: 'last', count }));
    assert.deepEqual(
      [last(0), last(-1), last(1.5), last(Number.NaN), last(1e300), last(1e15), last(1)],
      ['noCount', 'noCount', 'noCount', 'noCount', 'noCount', undefined, undefined],
    );
    const custom = (start?: string, end?: string) => problemOf(selection({ period: 'custom', start, end }));
    assert.equal(custom('yesterday', '2025-11-01T00:00:00Z'), 'noTimes');
    assert.equal(custom('2025-11-02T00:00:00Z', '2025-11-02T00:00:00Z'), 'endBeforeStart');
    assert.equal(custom('0001-01-01T00:00:00Z', '2025-11-02T00:00:00Z'), undefined);
    assert.equal(custom('2025-11-01T00:00:00Z', '2025-11-02T00:00:00Z'), undefined);
    assert.equal(custom('', 'yesterday'), 'noTimes');
  });

  it('begins 30 days ago and ends now if the start or the end of a custom period is empty', () => {
    const [start, end] = ['2025-11-01T00:00:00.000Z', '2025-11-22T00:00:00.000Z'];
    for (const times of [
      { start, end: '' },
      { start: '', end },
      { start: '', end: '' },
    ]) {
      const custom = selection({ period: 'custom', bucketSize: 'day', ...times });
      assert.equal(problemOf(custom), undefined);
      assert.deepEqual(queryOf(custom, NOW), {
        bucketSize: 'day',
        startTime: times.start === '' ? '2025-11-21T00:00:00.000Z' : start,
        ...(times.end !== '' && { endTime: end }),
      });
    }
  });

  it('is restored from the saved state of the page', () => {
    const kept = selection({ period: 'custom', start: '2025-11-01T00:00:00Z', end: '2025-11-02T00:00:00Z' });
    assert.deepEqual(KeptSelection.safeParse({ selection: kept, asTable: true }).data?.selection, kept);
    for (const damaged of [undefined, null, 'x', {}, { range: 'century' }, { selection: { ...kept, period: 'x' } }])
      assert.equal(KeptSelection.safeParse(damaged).data, undefined);
  });
});
