import * as z from 'zod/mini';
import { pngBytes, type Received } from '../schema.ts';

/* Messages between the editor and the page of the billing view. Amounts are US dollars. */

const BucketSize = z.enum(['hour', 'day', 'week', 'month', 'year']);

/** Time windows of the view. `last` is a number of buckets, and `custom` has a start and an end. */
const Period = z.enum(['day', 'week', 'month', 'year', 'thisMonth', 'lastMonth', 'last', 'custom']);
export type BillingPeriod = z.infer<typeof Period>;

/** What the bars are stacked by. */
const Grouping = z.enum(['kind', 'endpoint', 'gpu', 'volume']);
export type BillingGrouping = z.infer<typeof Grouping>;

/** Text of a time. An invalid one becomes a problem of the selection. */
const TimeText = z.string().check(z.maxLength(64));

/** What the view shows. */
const Selection = z.object({
  period: Period,
  bucketSize: BucketSize,
  grouping: Grouping,
  /** Number of buckets, for `last`. An invalid one becomes a problem of the selection. */
  count: z.number(),
  /** Start and exclusive end as ISO 8601 in UTC, for `custom`. An empty text leaves the time to the service. */
  start: z.optional(TimeText),
  end: z.optional(TimeText),
});
export type BillingSelection = Received<typeof Selection>;

const SelectionChange = z.object({
  period: z.exactOptional(Period),
  bucketSize: z.exactOptional(BucketSize),
  grouping: z.exactOptional(Grouping),
  count: z.exactOptional(z.number()),
  start: z.optional(TimeText),
  end: z.optional(TimeText),
});

/** Actions that the page can request from the editor. */
const Action = z.enum(['runJob', 'startLocalPlatform', 'replaceKey', 'showLog']);
export type BillingAction = z.infer<typeof Action>;

const Failure = z.object({
  message: z.string(),
  /** Whether another request can succeed. */
  retry: z.boolean(),
  /** A button with another remedy. */
  remedy: z.optional(z.object({ label: z.string(), action: Action })),
});
export type BillingFailure = Received<typeof Failure>;

/** Finished buckets of the window, compared with as many buckets before the window. */
const Change = z.object({
  current: z.number(),
  previous: z.number(),
  /** Number of buckets on each side. */
  buckets: z.number(),
});
export type BillingChange = Received<typeof Change>;

/** Forecast of the current month. See `forecastMonth`. Times are in ms since the epoch. */
const Forecast = z.object({
  month: z.number(),
  spent: z.number(),
  expected: z.number(),
  low: z.number(),
  high: z.number(),
  days: z.number(),
  dailyMean: z.number(),
});
export type BillingForecast = Received<typeof Forecast>;

/** Content of the page without the chart. */
const View = z.object({
  selection: Selection,
  /** Bucket sizes that fit the period. */
  bucketSizes: z.array(BucketSize),
  /** Why the selection cannot be read. The page shows the last valid window. */
  problem: z.optional(z.string()),
  /** Name of the connection that the spend belongs to. */
  connection: z.optional(z.string()),
  /** ID of the team that the connection acts for. */
  team: z.optional(z.string()),
  /** Whether a request is in progress. */
  busy: z.boolean(),
  /** Time of the last response, in ISO 8601. */
  updatedAt: z.optional(z.iso.datetime()),
  /** Spend of the account in the window. */
  total: z.optional(z.number()),
  /** Number of records that the service returned. */
  recordCount: z.optional(z.number()),
  change: z.optional(Change),
  forecast: z.optional(Forecast),
  /** The account cannot be read. Earlier data stays visible. */
  failure: z.optional(Failure),
  /** Only this part cannot be read. */
  chartFailure: z.optional(Failure),
  forecastFailure: z.optional(Failure),
  /** Remarks about the data, such as names that could not be read. */
  notes: z.array(z.string()),
});
export type BillingView = Received<typeof View>;

/** A group of spend: a kind of resource, an endpoint, GPU types, or a volume. */
const Series = z.object({
  /** Identifies the group in the state of the page. */
  id: z.string(),
  label: z.string(),
  /** ID of the resource, if the label is its name. */
  detail: z.optional(z.string()),
  total: z.number(),
  /** Spend in each bucket. */
  amounts: z.array(z.number()),
});
export type BillingSeries = Received<typeof Series>;

/** Spend per bucket and group. Times are in ms since the epoch. */
const Chart = z
  .object({
    grouping: Grouping,
    bucketSize: BucketSize,
    /** Boundaries of the buckets: one more than there are buckets. */
    times: z.array(z.number()).check(z.minLength(1)),
    /** Spend in each bucket. */
    totals: z.array(z.number()),
    /** Total of the report, which the service computed. */
    total: z.number(),
    series: z.array(Series),
    /** Index of the unfinished bucket. */
    running: z.optional(z.number()),
    /** The whole window, if the chart has only its last buckets. The total and those of the series are of the whole window. */
    whole: z.optional(
      z.object({
        /** Start in ms since the epoch. */
        start: z.number(),
        buckets: z.number(),
        /** Number of its last buckets that an export contains. */
        exported: z.number(),
      }),
    ),
  })
  .check(
    z.refine(({ times, totals, series }) =>
      [totals, ...series.map(({ amounts }) => amounts)].every(({ length }) => length === times.length - 1),
    ),
  );
export type BillingChart = Received<typeof Chart>;

export const ToWebview = z.discriminatedUnion('type', [
  z.object({ type: z.literal('view'), view: View }),
  /** The chart is sent only when it changed, because it can be large. */
  z.object({ type: z.literal('chart'), chart: z.optional(Chart) }),
  /** An export is complete. */
  z.object({ type: z.literal('exported'), to: z.enum(['file', 'clipboard']) }),
]);
export type BillingToWebview = Received<typeof ToWebview>;

/** Maximum size of a picture, in bytes. */
export const MAX_PICTURE_BYTES = 20 * 1024 * 1024;

export const ToHost = z.discriminatedUnion('type', [
  /** The page is loaded and can receive messages. */
  z.object({ type: z.literal('ready') }),
  /** Changes a part of the selection. The page may not know the last change of another part yet. */
  z.object({ type: z.literal('select'), change: SelectionChange }),
  z.object({ type: z.literal('refresh') }),
  z.object({ type: z.literal('export'), format: z.enum(['csv', 'json']) }),
  /** Saves a picture of the chart. */
  z.object({ type: z.literal('exportPicture'), bytes: pngBytes(MAX_PICTURE_BYTES) }),
  z.object({ type: z.literal('copy') }),
  z.object({ type: z.literal('act'), action: Action }),
]);
export type BillingToHost = Received<typeof ToHost>;

/** Order of the table. The column is `time`, `total`, or the ID of a series. */
const Sort = z.object({ column: z.string(), descending: z.boolean() });

/**
 * The part of the kept state that the page reads. The editor keeps the state while the page is hidden and when the window is reloaded.
 * Unknown or outdated members have their defaults.
 */
export const KeptState = z.object({
  asTable: z.catch(z.boolean(), false),
  /** IDs of the series that are switched off. */
  hidden: z.catch(z.array(z.string()), []),
  sort: z.catch(Sort, { column: 'time', descending: true }),
  /** Visible part of the chart as its start and end, in ms since the epoch. Undefined for the whole window. */
  zoom: z.catch(z.optional(z.tuple([z.number(), z.number()])), undefined),
});
/** The part of the kept state that the editor reads. */
export const KeptSelection = z.object({ selection: Selection });
export type BillingPageState = Received<typeof KeptState> & Received<typeof KeptSelection>;
