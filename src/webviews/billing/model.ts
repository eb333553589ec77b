import type { BillingChart, BillingPageState, BillingView } from './messages.ts';

/** Number of rows that the table shows at first, and with each further step. */
export const ROWS_STEP = 200;

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

/** Number of bars that Page Up and Page Down move by. */
const PAGE = 10;

/** Returns the index of the bar that a key moves to. Undefined for other keys. */
export function barAfterKey(key: string, current: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, current - 1);
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(last, current + 1);
    case 'PageDown':
      return Math.max(0, current - PAGE);
    case 'PageUp':
      return Math.min(last, current + PAGE);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** Returns the hidden series after a toggle. The last visible series cannot be hidden. */
export function toggled(hidden: readonly string[], id: string, all: readonly string[]): readonly string[] {
  if (hidden.includes(id)) return hidden.filter((one) => one !== id);
  const next = [...hidden, id];
  return all.every((one) => next.includes(one)) ? hidden : next;
}
