import * as z from 'zod/mini';
import type { Received } from '../schema.ts';

/* Messages between the editor and the page of the metrics of an endpoint. Durations are seconds, times are ms since the epoch. */

const Period = z.enum(['hour', 'sixHours', 'day', 'week', 'month', 'year']);
export type MetricsPeriod = z.infer<typeof Period>;

/** Durations of which the view shows the distribution. Load-balanced endpoints have `latency`, and queue endpoints the others. */
const Duration = z.enum(['endToEnd', 'queueDelay', 'execution', 'coldStart', 'latency']);
export type MetricsDuration = z.infer<typeof Duration>;

/** What the view compares with: nothing, the period before, or the release with a version. */
const Comparison = z.union([z.literal('none'), z.literal('before'), z.number()]);
export type MetricsComparison = z.infer<typeof Comparison>;

const Selection = z.object({
  period: Period,
  duration: Duration,
  /** Version of the release whose jobs and workers are shown. Undefined: all releases. */
  release: z.optional(z.number()),
  compare: Comparison,
});
export type MetricsSelection = Received<typeof Selection>;

const SelectionChange = z.object({
  period: z.exactOptional(Period),
  duration: z.exactOptional(Duration),
  release: z.optional(z.number()),
  compare: z.exactOptional(Comparison),
});
export type MetricsSelectionChange = Received<typeof SelectionChange>;

/** The endpoint that a page shows. */
const Target = z.object({ connectionId: z.string(), endpointId: z.string(), name: z.string() });
export type MetricsTarget = Received<typeof Target>;

/** Actions that the page can request from the editor. */
const Action = z.enum(['runJob', 'openBilling', 'startLocalPlatform', 'switchConnection', 'replaceKey', 'showLog']);
export type MetricsAction = z.infer<typeof Action>;

const Failure = z.object({
  message: z.string(),
  /** Whether another request can succeed. */
  retry: z.boolean(),
  /** A button with another remedy. */
  remedy: z.optional(z.object({ label: z.string(), action: Action })),
});
export type MetricsFailure = Received<typeof Failure>;

/** Numbers of the whole period. An omitted number is not known. */
const Summary = z.object({
  arrivals: z.optional(z.number()),
  completed: z.optional(z.number()),
  failed: z.optional(z.number()),
  retries: z.optional(z.number()),
  p50: z.optional(z.number()),
  p90: z.optional(z.number()),
  p99: z.optional(z.number()),
  max: z.optional(z.number()),
  queueDepth: z.optional(z.number()),
  workers: z.optional(z.number()),
  /** Part of the time in which ready workers have work, 0 to 1. */
  utilization: z.optional(z.number()),
  logBytes: z.optional(z.number()),
  spendUsd: z.optional(z.number()),
});
export type MetricsSummary = Received<typeof Summary>;

/** A job that ended in a bucket. */
const EndedJob = z.object({
  id: z.string(),
  status: z.string(),
  finishedAt: z.number(),
  /** Time from the submission to the end, in seconds. */
  seconds: z.number(),
  workerId: z.optional(z.string()),
  release: z.optional(z.number()),
});

/** Jobs of a bucket that the user chose, those that took longest first. */
const Jobs = z.object({
  start: z.number(),
  /** Exclusive end. */
  end: z.number(),
  /** Omitted while they are read. */
  list: z.optional(z.array(EndedJob)),
  failure: z.optional(Failure),
});
export type MetricsJobs = Received<typeof Jobs>;

/** Content of the page without the charts. */
const View = z.object({
  target: Target,
  selection: Selection,
  /** Durations that the endpoint has. */
  durations: z.array(Duration),
  /** Versions of releases, newest first. */
  releases: z.array(z.number()),
  /** Whether the period before can still be known. */
  hasBefore: z.boolean(),
  /** Name of the connection. */
  connection: z.optional(z.string()),
  busy: z.boolean(),
  /** Time of the last response. */
  updatedAt: z.optional(z.number()),
  summary: z.optional(Summary),
  compared: z.optional(Summary),
  jobs: z.optional(Jobs),
  failure: z.optional(Failure),
  /** Only the numbers of the comparison cannot be read. */
  comparisonFailure: z.optional(Failure),
  /** The platform does not measure. The page shows what this editor has seen since this time. `null`: nothing yet. */
  observedSince: z.optional(z.nullable(z.number())),
});
export type MetricsView = Received<typeof View>;

/** Values of the buckets. `null`: there is no value. A schema of its own, because a year has hundreds of thousands of values. */
const Column = z.custom<readonly (number | null)[]>(
  (value) => Array.isArray(value) && value.every((one) => one === null || typeof one === 'number'),
);

export const COLUMNS = [
  ...(['p50', 'p90', 'p99', 'max'] as const),
  ...(['arrivals', 'retries'] as const),
  ...(['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const),
  ...(['2xx', '3xx', '4xx', '5xx', 'refused', 'disconnected'] as const),
  ...(['queueDepth', 'maxQueueDepth'] as const),
  ...(['running', 'idle', 'initializing', 'throttled', 'unhealthy'] as const),
  'spendUsd',
] as const;
export type ColumnId = (typeof COLUMNS)[number];

/** A column without any value, or with only zeros in the measured buckets, is omitted. */
const Columns = z.partialRecord(z.enum(COLUMNS), Column);
export type MetricsColumns = Received<typeof Columns>;

/** Ranges of buckets that were not measured, as half-open indices. */
const Gaps = z.array(z.tuple([z.number(), z.number()]));

const Marker = z.object({
  at: z.number(),
  kind: z.enum(['release', 'crash']),
  /** Version of the release. */
  release: z.optional(z.number()),
  workerId: z.optional(z.string()),
  /** Who deployed the release, in words. */
  deployment: z.optional(z.string()),
});
export type MetricsMarker = Received<typeof Marker>;

/** Measured values per bucket. All charts share the buckets. */
const Chart = z
  .object({
    /** Whether the endpoint has a queue. Otherwise, it is load-balanced. */
    isQueue: z.boolean(),
    duration: Duration,
    /** Start of the first bucket. */
    start: z.number(),
    /** Length of a bucket in ms. */
    step: z.number(),
    count: z.number().check(z.minimum(1)),
    /** Index of the unfinished bucket. */
    running: z.optional(z.number()),
    columns: Columns,
    gaps: Gaps,
    /** Whether a measured bucket without a column has the value 0. Otherwise, the value is not known. */
    omittedIsZero: z.boolean(),
    /** The same buckets of the period before, or of another release. */
    compared: z.optional(z.object({ columns: Columns, gaps: Gaps })),
    markers: z.array(Marker),
  })
  .check(
    z.refine(({ count, columns, compared }) =>
      [columns, compared?.columns ?? {}].every((all) => Object.values(all).every(({ length }) => length === count)),
    ),
  );
export type MetricsChart = Received<typeof Chart>;

export const ToWebview = z.discriminatedUnion('type', [
  z.object({ type: z.literal('view'), view: View }),
  /** The chart is sent only when it changed, because it can be large. */
  z.object({ type: z.literal('chart'), chart: z.optional(Chart) }),
  /** An export is complete. */
  z.object({ type: z.literal('exported'), to: z.enum(['file', 'clipboard']) }),
]);
export type MetricsToWebview = Received<typeof ToWebview>;

export const ToHost = z.discriminatedUnion('type', [
  /** The page is loaded and can receive messages. */
  z.object({ type: z.literal('ready') }),
  /** Changes a part of the selection. The page may not know the last change of another part yet. */
  z.object({ type: z.literal('select'), change: SelectionChange }),
  z.object({ type: z.literal('refresh') }),
  z.object({ type: z.literal('export'), format: z.enum(['csv', 'json']) }),
  z.object({ type: z.literal('copy') }),
  z.object({ type: z.literal('act'), action: Action }),
  /** Lists the jobs that ended between two times. */
  z.object({ type: z.literal('listJobs'), start: z.number(), end: z.number() }),
  z.object({ type: z.literal('closeJobs') }),
  z.object({ type: z.literal('openJob'), id: z.string().check(z.maxLength(200)) }),
]);
export type MetricsToHost = Received<typeof ToHost>;

/**
 * The part of the kept state that the page reads. The editor keeps the state while the page is hidden and when the window is reloaded.
 * Unknown or outdated members have their defaults.
 */
export const KeptState = z.object({
  asTable: z.catch(z.boolean(), false),
  /** IDs of the series that are switched off. */
  hidden: z.catch(z.array(z.string()), []),
  sort: z.catch(z.object({ column: z.string(), descending: z.boolean() }), { column: 'time', descending: true }),
  /** Visible part of the charts as its start and end. Undefined for the whole period. */
  zoom: z.catch(z.optional(z.tuple([z.number(), z.number()])), undefined),
});
/** The part of the kept state that the editor reads. */
export const KeptView = z.object({ target: Target, selection: Selection });
/** The selection of the last opening. */
export const KeptSelection = z.object({ selection: Selection });
export type MetricsPageState = Received<typeof KeptState> & Received<typeof KeptView>;
