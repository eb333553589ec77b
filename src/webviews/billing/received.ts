// Most of the size of zod are methods, which this variant does not have. The page needs few of its functions.
import * as z from 'zod/mini';
import type { BillingAction, BillingChart, BillingPageState, BillingSelection, BillingToWebview } from './messages.ts';

/* Validation of what the page receives from the editor, and of the state that it kept. */

const Action: z.ZodMiniType<BillingAction> = z.enum(['runJob', 'startLocalPlatform', 'replaceKey', 'showLog']);
const BucketSize = z.enum(['hour', 'day', 'week', 'month', 'year']);
const Grouping = z.enum(['kind', 'endpoint', 'gpu', 'volume']);

const Selection: z.ZodMiniType<BillingSelection> = z.object({
  period: z.enum(['day', 'week', 'month', 'year', 'thisMonth', 'lastMonth', 'last', 'custom']),
  bucketSize: BucketSize,
  grouping: Grouping,
  count: z.number(),
  start: z.optional(z.string()),
  end: z.optional(z.string()),
});

const Failure = z.object({
  message: z.string(),
  retry: z.boolean(),
  remedy: z.optional(z.object({ label: z.string(), action: Action })),
});

const View = z.object({
  selection: Selection,
  bucketSizes: z.array(BucketSize),
  problem: z.optional(z.string()),
  connection: z.optional(z.string()),
  team: z.optional(z.string()),
  busy: z.boolean(),
  updatedAt: z.optional(z.iso.datetime()),
  total: z.optional(z.number()),
  recordCount: z.optional(z.number()),
  change: z.optional(z.object({ current: z.number(), previous: z.number(), buckets: z.number() })),
  forecast: z.optional(
    z.object({
      month: z.number(),
      spent: z.number(),
      expected: z.number(),
      low: z.number(),
      high: z.number(),
      days: z.number(),
      dailyMean: z.number(),
    }),
  ),
  failure: z.optional(Failure),
  chartFailure: z.optional(Failure),
  forecastFailure: z.optional(Failure),
  notes: z.array(z.string()),
});

const Chart: z.ZodMiniType<BillingChart> = z
  .object({
    grouping: Grouping,
    bucketSize: BucketSize,
    times: z.array(z.number()).check(z.minLength(1)),
    totals: z.array(z.number()),
    total: z.number(),
    series: z.array(
      z.object({
        id: z.string(),
        label: z.string(),
        detail: z.optional(z.string()),
        total: z.number(),
        amounts: z.array(z.number()),
      }),
    ),
    running: z.optional(z.number()),
    whole: z.optional(z.object({ start: z.number(), buckets: z.number(), exported: z.number() })),
  })
  .check(
    z.refine(({ times, totals, series }) =>
      [totals, ...series.map(({ amounts }) => amounts)].every(({ length }) => length === times.length - 1),
    ),
  );

export const ToWebview: z.ZodMiniType<BillingToWebview> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('view'), view: View }),
  z.object({ type: z.literal('chart'), chart: z.optional(Chart) }),
  z.object({ type: z.literal('exported'), to: z.enum(['file', 'clipboard']) }),
]) as z.ZodMiniType<BillingToWebview>;

/** The part of the kept state that the page reads. The editor reads the selection. Unknown or outdated members have their defaults. */
export const KeptState: z.ZodMiniType<Omit<BillingPageState, 'selection'>> = z.object({
  asTable: z.catch(z.boolean(), false),
  hidden: z.catch(z.array(z.string()), []),
  sort: z.catch(z.object({ column: z.string(), descending: z.boolean() }), { column: 'time', descending: true }),
  zoom: z.catch(z.optional(z.tuple([z.number(), z.number()])), undefined),
});
