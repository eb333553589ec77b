import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { BUCKET_SIZES } from '../../../../src/contract/billing.ts';
import { billingChart, billingView } from '../../../../src/features/spend/billing/billingView.ts';
import { bucketAt } from '../../../../src/features/spend/billing/model/buckets.ts';
import { csvOf, jsonOf } from '../../../../src/features/spend/billing/model/exports.ts';
import { sumOf } from '../../../../src/account/prices/amounts.ts';
import { bucketSizesOf, queryOf, selectionOf } from '../../../../src/features/spend/billing/model/selection.ts';
import type { BillingSelection } from '../../../../src/webviews/billing/messages.ts';
import { LOCAL, selection } from '../../../webviews/billing/sample.ts';
import { NOW, startSeededPlatform } from './seededPlatform.ts';

describe('the numbers of the billing view', () => {
  let platform: Awaited<ReturnType<typeof startSeededPlatform>>;

  before(async () => (platform = await startSeededPlatform()));
  after(() => platform[Symbol.asyncDispose]());

  const read = async (wanted: BillingSelection) => {
    const { state, now } = await platform.read(wanted);
    const chart = billingChart(state, now);
    assert.ok(chart, JSON.stringify(state));
    return { chart, view: billingView(state, LOCAL, now), now };
  };

  const selections = [
    ...(['day', 'week', 'month', 'year', 'thisMonth', 'lastMonth'] as const).flatMap((period) =>
      bucketSizesOf(period).map((bucketSize) => ({ ...selectionOf(period), bucketSize })),
    ),
    ...BUCKET_SIZES.map((bucketSize) => selection({ period: 'last', bucketSize, count: 3 })),
    selection({
      period: 'custom',
      bucketSize: 'hour',
      start: '2025-11-03T05:30:00Z',
      end: '2025-11-04T07:10:00+02:00',
    }),
  ];
  for (const one of selections) {
    it(`equal the totals of the API for ${one.period} by ${one.bucketSize}`, async () => {
      const { chart, view } = await read(one);
      const { metadata, records } = await platform.client.listBilling({ query: queryOf(one, NOW) }, {});
      assert.equal(view.total, metadata.totals.totalAmount);
      assert.equal(chart.total, metadata.totals.totalAmount);
      const bars = Object.groupBy(records, ({ startTime }) => bucketAt(chart.times, Date.parse(startTime)) ?? 'none');
      assert.deepEqual(
        chart.totals,
        chart.totals.map((_, bar) => sumOf((bars[bar] ?? []).map(({ totalAmount }) => totalAmount))),
      );
      for (const { id, total, amounts } of chart.series) {
        assert.equal(total, metadata.totals[id]);
        assert.equal(sumOf(amounts), total);
      }
      assert.equal(sumOf(chart.series.map(({ total }) => total)), chart.total);
    });
  }

  it('are the same in the exports', async () => {
    const { chart } = await read(selectionOf('thisMonth'));
    const [, ...rows] = parse(csvOf(chart));
    assert.equal(sumOf(rows.map((row) => Number(row[2]))), chart.total);
    const json = JSON.parse(jsonOf(chart)) as { totalAmount: number; records: { totalAmount: number }[] };
    assert.equal(json.totalAmount, chart.total);
    assert.equal(sumOf(json.records.map(({ totalAmount }) => totalAmount)), chart.total);
  });

  it('add up to the report of the API for each endpoint and GPU type', async () => {
    const query = queryOf(selectionOf('month'), NOW);
    const { metadata } = await platform.client.listServerlessBilling({ query }, {});
    for (const grouping of ['endpoint', 'gpu'] as const) {
      const { chart } = await read({ ...selectionOf('month'), grouping });
      assert.equal(chart.total, metadata.totals.totalAmount);
      assert.equal(sumOf(chart.series.map(({ total }) => total)), chart.total);
      assert.equal(sumOf(chart.totals), chart.total);
      assert.deepEqual(
        chart.series.map(({ label }) => label),
        grouping === 'endpoint'
          ? ['chat', 'gone0000 (deleted)', 'small']
          : ['RTX 4090', 'GPUs of deleted endpoints', 'CPU workers', 'Disks'],
      );
    }
  });

  it('add up to the report of the API for each volume', async () => {
    const { metadata } = await platform.client.listNetworkVolumeBilling(
      { query: queryOf(selectionOf('month'), NOW) },
      {},
    );
    const { chart } = await read({ ...selectionOf('month'), grouping: 'volume' });
    assert.equal(chart.total, metadata.totals.totalAmount);
    assert.equal(sumOf(chart.totals), chart.total);
  });

  it('have a change and a forecast that follow from the reports of the API', async () => {
    const { view } = await read(selectionOf('month'));
    const total = async (startTime: string, endTime: string) =>
      (await platform.client.listBilling({ query: { bucketSize: 'day', startTime, endTime } }, {})).metadata.totals
        .totalAmount;
    assert.deepEqual(view.change, {
      current: await total('2025-10-23T00:00:00Z', '2025-11-21T00:00:00Z'),
      previous: await total('2025-09-24T00:00:00Z', '2025-10-23T00:00:00Z'),
      buckets: 29,
    });
    assert.equal(view.forecast?.spent, await total('2025-11-01T00:00:00Z', '2025-11-22T00:00:00Z'));
    const mean = (await total('2025-11-07T00:00:00Z', '2025-11-21T00:00:00Z')) / 14;
    assert.ok(Math.abs(view.forecast.dailyMean - mean) < 1e-9);
  });
});
