import type { Timeline } from '../charts/bars.ts';
import { ROWS_STEP } from '../charts/table.ts';
import type { MetricsChart, MetricsPageState, MetricsView } from './messages.ts';
import type { SectionId } from './sections.ts';

/** State of the page: the data from the editor and the page's own state. */
export interface Model extends Omit<MetricsPageState, 'selection' | 'target'> {
  readonly view: MetricsView;
  readonly chart: MetricsChart | undefined;
  /** Boundaries of the buckets of the chart. */
  readonly timeline: Timeline;
  /** Start of the bucket that the keyboard is on, in ms since the epoch. Undefined for the last bucket. */
  readonly current: number | undefined;
  /** Bucket that shows its tooltip in a section, because it has the pointer or the focus. The other sections mark it. */
  readonly active: { readonly bar: number; readonly section: SectionId } | undefined;
  /** Number of rows of the table. */
  readonly rows: number;
  /** Where an export went in the last 2 seconds. */
  readonly exported: 'file' | 'clipboard' | undefined;
}

type Kept = Omit<MetricsPageState, 'selection' | 'target'>;

export function initialModel(view: MetricsView, kept: Kept | undefined): Model {
  return {
    asTable: false,
    hidden: [],
    sort: { column: 'time', descending: true },
    ...kept,
    view,
    chart: undefined,
    timeline: { times: [] },
    current: undefined,
    active: undefined,
    rows: ROWS_STEP,
    exported: undefined,
  };
}

/** Returns the state to keep. */
export function keptState({ view, asTable, hidden, sort, zoom }: Model): MetricsPageState {
  const { selection, target } = view;
  return { selection, target, asTable, hidden, sort, ...(zoom && { zoom }) };
}

/** Takes another chart. Another period discards the zoom and the current bar. A running period moves on and keeps them. */
export function withChart(model: Model, chart: MetricsChart | undefined): Model {
  const before = model.chart;
  if (!chart) return { ...model, chart, active: undefined };
  const length = ({ step, count }: MetricsChart) => step * count;
  const isOther = before !== undefined && length(chart) !== length(before);
  const times = Array.from({ length: chart.count + 1 }, (_, index) => chart.start + index * chart.step);
  return {
    ...model,
    chart,
    timeline: { times },
    active: model.active && model.active.bar < chart.count && !isOther ? model.active : undefined,
    ...(isOther && { current: undefined, zoom: undefined, rows: ROWS_STEP }),
  };
}

/** Returns the index of the current bar. */
export function currentBar({ current, chart }: Pick<Model, 'current' | 'chart'>): number {
  if (!chart) return 0;
  const last = chart.count - 1;
  if (current === undefined) return last;
  return Math.min(last, Math.max(0, Math.floor((current - chart.start) / chart.step)));
}
