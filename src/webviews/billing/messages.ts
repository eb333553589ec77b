import type { BucketSize } from '../../contract/billing.ts';

/* Messages between the editor and the page of the billing view. Each side validates what it receives. Amounts are US dollars. */

/** Time windows of the view. `last` is a number of buckets, and `custom` has a start and an end. */
export type BillingPeriod = 'day' | 'week' | 'month' | 'year' | 'thisMonth' | 'lastMonth' | 'last' | 'custom';

/** What the bars are stacked by. */
export type BillingGrouping = 'kind' | 'endpoint' | 'gpu' | 'volume';

/** What the view shows. */
export interface BillingSelection {
  readonly period: BillingPeriod;
  readonly bucketSize: BucketSize;
  readonly grouping: BillingGrouping;
  /** Number of buckets, for `last`. */
  readonly count: number;
  /** Start and exclusive end as ISO 8601 in UTC, for `custom`. An empty text leaves the time to the service. */
  readonly start?: string | undefined;
  readonly end?: string | undefined;
}

/** Actions that the page can request from the editor. */
export type BillingAction = 'runJob' | 'startLocalPlatform' | 'replaceKey' | 'showLog';

export interface BillingFailure {
  readonly message: string;
  /** Whether another request can succeed. */
  readonly retry: boolean;
  /** A button with another remedy. */
  readonly remedy?: { readonly label: string; readonly action: BillingAction } | undefined;
}

/** Finished buckets of the window, compared with as many buckets before the window. */
export interface BillingChange {
  readonly current: number;
  readonly previous: number;
  /** Number of buckets on each side. */
  readonly buckets: number;
}

/** Forecast of the current month. See `forecastMonth`. Times are in ms since the epoch. */
export interface BillingForecast {
  readonly month: number;
  readonly spent: number;
  readonly expected: number;
  readonly low: number;
  readonly high: number;
  readonly days: number;
  readonly dailyMean: number;
}

/** Content of the page without the chart. */
export interface BillingView {
  readonly selection: BillingSelection;
  /** Bucket sizes that fit the period. */
  readonly bucketSizes: readonly BucketSize[];
  /** Why the selection cannot be read. The page shows the last valid window. */
  readonly problem?: string | undefined;
  /** Name of the connection that the spend belongs to. */
  readonly connection?: string | undefined;
  /** ID of the team that the connection acts for. */
  readonly team?: string | undefined;
  /** Whether a request is in progress. */
  readonly busy: boolean;
  /** Time of the last response, in ISO 8601. */
  readonly updatedAt?: string | undefined;
  /** Spend of the account in the window. */
  readonly total?: number | undefined;
  /** Number of records that the service returned. */
  readonly recordCount?: number | undefined;
  readonly change?: BillingChange | undefined;
  readonly forecast?: BillingForecast | undefined;
  /** The account cannot be read. Earlier data stays visible. */
  readonly failure?: BillingFailure | undefined;
  /** Only this part cannot be read. */
  readonly chartFailure?: BillingFailure | undefined;
  readonly forecastFailure?: BillingFailure | undefined;
  /** Remarks about the data, such as names that could not be read. */
  readonly notes: readonly string[];
}

/** A group of spend: a kind of resource, an endpoint, GPU types, or a volume. */
export interface BillingSeries {
  /** Identifies the group in the state of the page. */
  readonly id: string;
  readonly label: string;
  /** ID of the resource, if the label is its name. */
  readonly detail?: string | undefined;
  readonly total: number;
  /** Spend in each bucket. */
  readonly amounts: readonly number[];
}

/** Spend per bucket and group. Times are in ms since the epoch. */
export interface BillingChart {
  readonly grouping: BillingGrouping;
  readonly bucketSize: BucketSize;
  /** Boundaries of the buckets: one more than there are buckets. */
  readonly times: readonly number[];
  /** Spend in each bucket. */
  readonly totals: readonly number[];
  /** Total of the report, which the service computed. */
  readonly total: number;
  readonly series: readonly BillingSeries[];
  /** Index of the unfinished bucket. */
  readonly running?: number | undefined;
  /** The whole window, if the chart has only its last buckets. The total and those of the series are of the whole window. */
  readonly whole?: BillingWhole | undefined;
}

export interface BillingWhole {
  /** Start in ms since the epoch. */
  readonly start: number;
  readonly buckets: number;
  /** Number of its last buckets that an export contains. */
  readonly exported: number;
}

export type BillingExport = 'csv' | 'json';

export type BillingToWebview =
  | { readonly type: 'view'; readonly view: BillingView }
  /** The chart is sent only when it changed, because it can be large. */
  | { readonly type: 'chart'; readonly chart: BillingChart | undefined }
  /** An export is complete. */
  | { readonly type: 'exported'; readonly to: 'file' | 'clipboard' };

export type BillingToHost =
  /** The page is loaded and can receive messages. */
  | { readonly type: 'ready' }
  | { readonly type: 'select'; readonly selection: BillingSelection }
  | { readonly type: 'refresh' }
  | { readonly type: 'export'; readonly format: BillingExport }
  /** Saves a picture of the chart, as the bytes of a PNG file. */
  | { readonly type: 'exportPicture'; readonly bytes: Uint8Array }
  | { readonly type: 'copy' }
  | { readonly type: 'act'; readonly action: BillingAction };

/** Order of the table. The column is `time`, `total`, or the ID of a series. */
export interface BillingSort {
  readonly column: string;
  readonly descending: boolean;
}

/** State that the editor keeps for the page while it is hidden and when the window is reloaded. */
export interface BillingPageState {
  readonly selection: BillingSelection;
  readonly asTable: boolean;
  /** IDs of the series that are switched off. */
  readonly hidden: readonly string[];
  readonly sort: BillingSort;
  /** Visible part of the chart, in ms since the epoch. Undefined for the whole window. */
  readonly zoom?: readonly [start: number, end: number] | undefined;
}
