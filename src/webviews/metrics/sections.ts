import * as l10n from '@vscode/l10n';
import type { Bars } from '../charts/bars.ts';
import { prepareLines, type Line } from '../charts/lines.ts';
import { LABEL_ROOM, prepareGaps, prepareMarks, type Mark } from '../charts/marks.ts';
import type { Drawing } from '../charts/plot.ts';
import { prepareStackedBars } from '../charts/stackedBars.ts';
import type { SeriesStyle } from '../charts/styles.ts';
import { largestOf, type Values } from '../charts/values.ts';
import type { ColumnId, MetricsChart } from './messages.ts';
import {
  amountText,
  amountTick,
  DURATIONS,
  durationText,
  durationTick,
  numberText,
  numberTick,
  timeLabels,
} from './words.ts';

/* The four charts, which share a time axis. */

export type SectionId = 'durations' | 'outcomes' | 'workers' | 'cost';

export interface Series {
  readonly id: ColumnId;
  readonly label: string;
  readonly style: SeriesStyle;
  readonly form: 'line' | 'bar';
  /** Width of a line in CSS pixels. */
  readonly width?: number;
}

export interface Section {
  readonly id: SectionId;
  readonly title: string;
  readonly series: readonly Series[];
  readonly text: (value: number) => string;
  readonly tick: (value: number, step: number) => string;
  /** Whether a bucket lists its jobs. */
  readonly listsJobs: boolean;
}

const line = (id: ColumnId, label: string, hue: SeriesStyle['hue'], width = 1.5): Series => ({
  ...{ id, label, width, form: 'line' },
  style: { hue, pattern: 'solid' },
});
const bar = (id: ColumnId, label: string, hue: SeriesStyle['hue'], pattern: SeriesStyle['pattern']): Series => ({
  ...{ id, label, form: 'bar' },
  style: { hue, pattern },
});

const QUANTILES = [
  line('p50', 'p50', 'blue', 2.5),
  line('p90', 'p90', 'green', 2),
  line('p99', 'p99', 'orange', 1.5),
  line('max', l10n.t('Longest'), 'red', 1),
];

const JOBS = [
  bar('COMPLETED', l10n.t('Completed'), 'green', 'solid'),
  bar('FAILED', l10n.t('Failed'), 'red', 'lines'),
  bar('TIMED_OUT', l10n.t('Timed out'), 'orange', 'dots'),
  bar('CANCELLED', l10n.t('Canceled'), 'gray', 'solid'),
  line('arrivals', l10n.t('Submitted'), 'blue'),
  line('retries', l10n.t('Retries'), 'purple'),
];

const RESPONSES = [
  bar('2xx', '2xx', 'green', 'solid'),
  bar('3xx', '3xx', 'blue', 'solid'),
  bar('4xx', '4xx', 'yellow', 'lines'),
  bar('5xx', '5xx', 'red', 'lines'),
  bar('refused', l10n.t('Refused'), 'orange', 'dots'),
  bar('disconnected', l10n.t('Disconnected'), 'gray', 'dots'),
  line('arrivals', l10n.t('Received'), 'purple'),
];

const WORKERS = [
  bar('running', l10n.t('Running'), 'green', 'solid'),
  bar('idle', l10n.t('Idle'), 'blue', 'solid'),
  bar('initializing', l10n.t('Starting'), 'yellow', 'lines'),
  bar('throttled', l10n.t('Throttled'), 'orange', 'dots'),
  bar('unhealthy', l10n.t('Unhealthy'), 'red', 'lines'),
  line('queueDepth', l10n.t('Waiting'), 'purple', 2),
];

/** Returns the sections of a chart. Their series are those that have values. */
export function sectionsOf({ isQueue, duration, columns }: MetricsChart): readonly Section[] {
  const known = (series: readonly Series[]) => series.filter(({ id }) => columns[id] !== undefined);
  return [
    {
      ...{ id: 'durations', title: DURATIONS[duration], series: known(QUANTILES) },
      ...{ text: durationText, tick: durationTick, listsJobs: isQueue && duration !== 'coldStart' },
    },
    {
      ...{ id: 'outcomes', title: isQueue ? l10n.t('Jobs') : l10n.t('Requests') },
      ...{ series: known(isQueue ? JOBS : RESPONSES), text: numberText, tick: numberTick, listsJobs: isQueue },
    },
    {
      ...{ id: 'workers', title: isQueue ? l10n.t('Queue and workers') : l10n.t('Waiting requests and workers') },
      ...{ series: known(WORKERS), text: numberText, tick: numberTick, listsJobs: false },
    },
    {
      ...{ id: 'cost', title: l10n.t('Cost') },
      series: known([bar('spendUsd', l10n.t('Estimated cost'), 'purple', 'solid')]),
      ...{ text: amountText, tick: amountTick, listsJobs: false },
    },
  ];
}

const PLOT_HEIGHT = 200;
/** Width of all axes of values, so that the time axes are aligned. */
const AXIS_WIDTH = 68;

/** Room for the names of the lines. */
const LABEL_WIDTH = 78;

const MARKER_STYLES = { release: { hue: 'gray', pattern: 'solid' }, crash: { hue: 'red', pattern: 'solid' } } as const;

/** Returns the drawing of a section without its hidden series. */
export function drawingOf(chart: MetricsChart, section: Section, hidden: readonly string[]): Drawing {
  const { count, start, step, columns, compared, running } = chart;
  const visible = section.series.filter(({ id }) => !hidden.includes(id));
  const bars = visible
    .filter(({ form }) => form === 'bar')
    .map(({ id, style }) => ({ style, amounts: (columns[id] ?? []).map((value) => value ?? 0) }));
  const amounts = bars.map((one) => one.amounts);
  const totals = new Array<number>(count).fill(0);
  for (const values of amounts)
    for (const [index, value] of values.entries()) totals[index] = (totals[index] ?? 0) + value;
  const lines = visible
    .filter(({ form }) => form === 'line')
    .map(({ id, label, style, width = 1.5 }): Line => ({ style, width, label, values: columns[id] ?? [] }));
  const before = compared ? comparedLines(visible, compared.columns, count) : [];
  const allLines = [...before, ...lines];
  const marks = chart.markers.map(({ at, kind, release }): Mark => ({
    bar: (at - start) / step - 0.5,
    label: kind === 'crash' ? '✕' : release === undefined ? '▲' : l10n.t`v${release}`,
    style: MARKER_STYLES[kind],
  }));
  const values: readonly Values[] = allLines.map((one) => one.values);
  return {
    count,
    height: PLOT_HEIGHT,
    axisWidth: AXIS_WIDTH,
    topPadding: LABEL_ROOM,
    rightPadding: LABEL_WIDTH,
    // Amounts are never negative, so a stack is as high as its total.
    extent: (range: Bars) => [0, largestOf([totals, ...values], range)],
    prepare: (context, element, theme) => {
      const layers = [
        prepareGaps(chart.gaps, l10n.t('Not measured')),
        prepareStackedBars({ series: bars, totals, running }, context, element, theme),
        prepareLines({ lines: allLines, bands: bandsOf(section, columns, hidden) }, element, theme),
        prepareMarks(marks, element, theme),
      ];
      return (surface) => {
        for (const paint of layers) paint(surface);
      };
    },
    timeLabels: (shown) =>
      timeLabels(
        shown.map((index) => start + index * step),
        step,
      ),
    valueLabel: section.tick,
  };
}

/** Returns dashed lines of what the chart compares with. Stacked bars have one line, which is their sum. */
function comparedLines(visible: readonly Series[], columns: MetricsChart['columns'], count: number): Line[] {
  const lines = visible
    .filter(({ form, id }) => form === 'line' && columns[id])
    .map(({ id, style, width = 1.5 }) => ({ style, width, isDashed: true, values: columns[id] ?? [] }));
  const bars = visible.filter(({ form, id }) => form === 'bar' && columns[id]);
  if (bars.length === 0) return lines;
  const sums = new Array<number | null>(count).fill(null);
  for (const { id } of bars) {
    for (const [index, value] of (columns[id] ?? []).entries())
      if (value !== null) sums[index] = (sums[index] ?? 0) + value;
  }
  return [...lines, { style: { hue: 'gray', pattern: 'solid' }, width: 1.5, isDashed: true, values: sums }];
}

/** Returns the areas between the quantiles. */
function bandsOf({ id }: Section, { p50, p90, p99 }: MetricsChart['columns'], hidden: readonly string[]) {
  const isShown = (...names: string[]) => names.every((name) => !hidden.includes(name));
  if (id !== 'durations' || !p90) return [];
  return [
    ...(p50 && isShown('p50', 'p90') ? [{ style: QUANTILES[1]?.style, low: p50, high: p90 }] : []),
    ...(p99 && isShown('p90', 'p99') ? [{ style: QUANTILES[2]?.style, low: p90, high: p99 }] : []),
  ].flatMap(({ style, ...band }) => (style ? [{ style, ...band }] : []));
}

/** Returns whether a bucket was measured. */
export function isMeasured({ gaps }: Pick<MetricsChart, 'gaps'>, index: number): boolean {
  return !gaps.some(([from, to]) => index >= from && index < to);
}
