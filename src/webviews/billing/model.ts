import { ROWS_STEP } from '../charts/table.ts';
import type { BillingChart, BillingPageState, BillingView } from './messages.ts';

/** State of the page: the data from the editor and the page's own state. */
export interface Model extends Omit<BillingPageState, 'selection'> {
  readonly view: BillingView;
  readonly chart: BillingChart | undefined;
  /** The last chart, which is kept while another one is read. */
  readonly lastChart: BillingChart | undefined;
  /** Index of the bar that the keyboard is on. Undefined for the last bar. */
  readonly current: number | undefined;
  /** Index of the bar that shows its tooltip, because it has the pointer or the focus. */
  readonly active: number | undefined;
  /** Number of rows of the table. */
  readonly rows: number;
  /** Where an export went in the last 2 seconds. */
  readonly exported: 'file' | 'clipboard' | undefined;
}

export function initialModel(view: BillingView, kept: Omit<BillingPageState, 'selection'> | undefined): Model {
  return {
    asTable: false,
    hidden: [],
    sort: { column: 'time', descending: true },
    ...kept,
    view,
    chart: undefined,
    lastChart: undefined,
    current: undefined,
    active: undefined,
    rows: ROWS_STEP,
    exported: undefined,
  };
}

/** Returns the state to keep. */
export function keptState({ view, asTable, hidden, sort, zoom }: Model): BillingPageState {
  return { selection: view.selection, asTable, hidden, sort, ...(zoom && { zoom }) };
}

/** Takes another chart. Other buckets discard the zoom and the current bar, and other groups the hidden series and the order. */
export function withChart(model: Model, chart: BillingChart | undefined): Model {
  const before = model.lastChart;
  if (!chart || !before) return { ...model, chart, lastChart: chart ?? before };
  const hasOtherBuckets = chart.bucketSize !== before.bucketSize || chart.totals.length !== before.totals.length;
  return {
    ...model,
    chart,
    lastChart: chart,
    ...(hasOtherBuckets && { current: undefined, active: undefined, zoom: undefined, rows: ROWS_STEP }),
    ...(chart.grouping !== before.grouping && { hidden: [], sort: { column: 'time', descending: true } }),
  };
}

/** Returns the index of the current bar. */
export function currentBar({ current, chart }: Pick<Model, 'current' | 'chart'>): number {
  const last = (chart?.totals.length ?? 1) - 1;
  return Math.min(current ?? last, last);
}
