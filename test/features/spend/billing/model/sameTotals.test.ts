import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { BUCKET_SIZES, type BillingQuery } from '../../../../../src/contract/billing.ts';
import { sumOf } from '../../../../../src/account/prices/amounts.ts';
import { spendByKind } from '../../../../../src/features/spend/billing/model/kinds.ts';
import { spendByEndpoint } from '../../../../../src/features/spend/billing/model/resourceGroups.ts';
import { bucketSizesOf, inBars, queryOf } from '../../../../../src/features/spend/billing/model/selection.ts';
import { billingReport, resourceReport } from '../../../../../src/platform/domain/billingReport.ts';
import { resolveWindow } from '../../../../../src/platform/domain/buckets.ts';
import { USAGE_KINDS, type Charge, type UsageKind } from '../../../../../src/platform/domain/metering.ts';
import type { BillingSelection } from '../../../../../src/webviews/billing/messages.ts';
import { selection } from '../../../../webviews/billing/sample.ts';

const HOUR_MS = 3_600_000;
const FIRST = Date.parse('2024-11-01T00:00:00Z');
const LAST = Date.parse('2025-12-15T00:00:00Z');
const SERVERLESS = { gpuAmount: 'serverlessGpu', cpuAmount: 'serverlessCpu', diskAmount: 'serverlessDisk' } as const;
const FORM = { amounts: SERVERLESS, id: 'serverlessId', count: 'uniqueServerlessCount' } as const;

const hour = fc.integer({ min: 0, max: (LAST - FIRST) / HOUR_MS - 1 }).map((count) => FIRST + count * HOUR_MS);
const charge: fc.Arbitrary<Charge> = fc.record({
  kind: fc.constantFrom(...USAGE_KINDS),
  resourceId: fc.constantFrom('e1', 'e2', 'e3'),
  at: hour,
  nanoUsd: fc.bigInt({ min: 1n, max: 10n ** 12n }),
});
const rolling = fc
  .constantFrom('day', 'week', 'month', 'year', 'thisMonth', 'lastMonth')
  .map((period) => selection({ period }));
const custom = fc
  .tuple(hour, hour)
  .filter(([start, end]) => start < end)
  .map(([start, end]) =>
    selection({ period: 'custom', start: new Date(start).toISOString(), end: new Date(end).toISOString() }),
  );

/** Reports the charges as the platform does. */
function service(charges: readonly Charge[], now: number) {
  const past = charges.filter(({ at }) => at <= now);
  const sumsOf = (kinds: readonly UsageKind[]) => (from: number, to: number) =>
    past.filter(({ at, kind }) => at >= from && at < to && kinds.includes(kind));
  return {
    account: (query: BillingQuery) => complete(billingReport(sumsOf(USAGE_KINDS), resolveWindow(query, now))),
    endpoints: (query: BillingQuery) =>
      complete(resourceReport(FORM, sumsOf(Object.values(SERVERLESS)), resolveWindow(query, now), undefined)),
  };
}

function complete<Row, Metadata>(report: { batches: Iterable<readonly Row[]>; metadata: () => Metadata }) {
  const records = [...report.batches].flat();
  return { records, metadata: report.metadata() };
}

describe('The totals of a period', () => {
  it('are the same with all bars, and equal the sums of the bars and of the groups', () => {
    fc.assert(
      fc.property(
        fc.oneof(rolling, custom),
        fc.array(charge, { maxLength: 60 }),
        fc.integer({ min: FIRST + 370 * 24 * HOUR_MS, max: LAST }).map((time) => time + 1),
        (period: BillingSelection, charges, now) => {
          const { account, endpoints } = service(charges, now);
          const totals = bucketSizesOf(period.period).map((bucketSize) => {
            const shown = { ...period, bucketSize };
            const query = queryOf(shown, now);
            const kinds = spendByKind(inBars(account(query), shown));
            const groups = spendByEndpoint(inBars(endpoints(query), shown), undefined);
            for (const { total, totals: bars, series } of [kinds, groups]) {
              assert.equal(sumOf(bars), total);
              assert.equal(sumOf(series.map((one) => one.total)), total);
              for (const one of series) assert.equal(sumOf(one.amounts), one.total);
            }
            return [kinds.total, groups.total];
          });
          for (const one of totals) assert.deepEqual(one, totals[0]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('do not depend on the bars even if the period begins and ends within one', () => {
    const at = (time: string): Charge => ({
      kind: 'podGpu',
      resourceId: 'p',
      at: Date.parse(time),
      nanoUsd: 10n ** 9n,
    });
    const hours = ['2025-11-05T09:00Z', '2025-11-05T10:00Z', '2025-11-20T23:00Z', '2025-11-21T00:00Z'];
    const { account } = service(hours.map(at), LAST);
    for (const bucketSize of BUCKET_SIZES) {
      const [start, end] = ['2025-11-05T10:00:00Z', '2025-11-21T00:00:00Z'];
      const shown = selection({ period: 'custom', bucketSize, start, end });
      assert.equal(spendByKind(inBars(account(queryOf(shown, LAST)), shown)).total, 2, bucketSize);
    }
  });
});
