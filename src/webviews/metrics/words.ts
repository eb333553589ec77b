import * as l10n from '@vscode/l10n';
import { amountText, countText, shareText, tickText } from '../charts/numbers.ts';
import { language } from '../language/language.ts';
import type { MetricsChart, MetricsDuration, MetricsPeriod, MetricsSummary } from './messages.ts';

/* Formats durations, numbers, and times of metrics. Times are ms since the epoch, and in the time zone of the reader. */

/** Names of the periods, in the order of the menu. */
export const PERIODS: Readonly<Record<MetricsPeriod, string>> = {
  hour: l10n.t('Last hour'),
  sixHours: l10n.t('Last 6 hours'),
  day: l10n.t('Last 24 hours'),
  week: l10n.t('Last 7 days'),
  month: l10n.t('Last 30 days'),
  year: l10n.t('Last 12 months'),
};

/** Names of the durations, in the order of the menu. */
export const DURATIONS: Readonly<Record<MetricsDuration, string>> = {
  endToEnd: l10n.t('End to end'),
  queueDelay: l10n.t('Queue delay'),
  execution: l10n.t('Execution'),
  coldStart: l10n.t('Cold start'),
  latency: l10n.t('Latency'),
};

/** Explains what each duration measures. */
export const DURATION_DETAILS: Readonly<Record<MetricsDuration, string>> = {
  endToEnd: l10n.t('From the submission of a job to its end'),
  queueDelay: l10n.t('From entering the queue to a worker'),
  execution: l10n.t('From a worker to the end of the job'),
  coldStart: l10n.t('From the start of a worker until it is ready'),
  latency: l10n.t('From a request to the end of its response'),
};

const digits = (maximumFractionDigits: number, minimumFractionDigits = 0) =>
  new Intl.NumberFormat(language, { maximumFractionDigits, minimumFractionDigits });
const precise = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });

/** Formats a duration: `0.4 ms`, `120 ms`, `1.23 s`, `2 min 5 s`, `3 h 5 min`. @param seconds not negative */
export function durationText(seconds: number): string {
  if (seconds < 1) return l10n.t`${precise.format(seconds * 1_000)} ms`;
  if (seconds < 60) return l10n.t`${precise.format(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return l10n.t`${minutes} min ${whole % 60} s`;
  return l10n.t`${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a duration on an axis with this step. */
export function durationTick(seconds: number, step: number): string {
  if (step >= 60) return l10n.t`${digits(1).format(seconds / 60)} min`;
  if (step >= 0.1) return l10n.t`${digits(step >= 1 ? 0 : 1).format(seconds)} s`;
  return l10n.t`${digits(step >= 0.001 ? 0 : 2).format(seconds * 1_000)} ms`;
}

/** Formats a number, which can be a mean: `12`, `0.25`. */
export function numberText(value: number): string {
  return Number.isInteger(value) ? countText(value) : precise.format(value);
}

/** Formats a number on an axis with this step. */
export function numberTick(value: number, step: number): string {
  return digits(step >= 1 ? 0 : Math.min(6, -Math.floor(Math.log10(step)))).format(value);
}

export { amountText, tickText as amountTick };

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options);
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const minute = format(CLOCK);
const second = format({ ...CLOCK, second: '2-digit' });
const day = format({ month: 'short', day: 'numeric' });
const month = format({ month: 'short', year: 'numeric' });
const moment = format({ month: 'short', day: 'numeric', ...CLOCK });
const exact = format({ month: 'short', day: 'numeric', ...CLOCK, second: '2-digit' });

/** Name of the time zone of the reader. */
export const timeZone = (): string => minute.resolvedOptions().timeZone;

const DAY_MS = 86_400_000;

/** Returns the labels below bars that start at these times. The first label of a day has the date. */
export function timeLabels(starts: readonly number[], step: number): string[] {
  const distance = (starts[1] ?? 0) - (starts[0] ?? 0);
  if (distance >= 60 * DAY_MS) return starts.map((start) => month.format(start));
  if (distance >= DAY_MS) return starts.map((start) => day.format(start));
  const time = step < 60_000 && distance < 60_000 ? second : minute;
  return starts.map((start, index) => {
    const before = starts[index - 1];
    return before !== undefined && day.format(before) !== day.format(start) ? day.format(start) : time.format(start);
  });
}

/** Returns the interval of a bucket, marked if it is unfinished. */
export function bucketText({ start, step, running }: MetricsChart, index: number): string {
  const from = start + index * step;
  const text = intervalText(from, from + step);
  return index === running ? l10n.t`${text}, so far` : text;
}

/** Returns an interval: `Nov 21, 14:00 to 14:01`. */
export function intervalText(from: number, to: number): string {
  const [whole, time] = from % 60_000 === 0 && to % 60_000 === 0 ? [moment, minute] : [exact, second];
  const end = day.format(from) === day.format(to) ? time.format(to) : whole.format(to);
  return l10n.t`${whole.format(from)} to ${end}`;
}

/** Formats a time with its day. */
export function momentText(time: number): string {
  return exact.format(time);
}

/** Says since when this editor has observed. Without the day if it is today. */
export function observedText(since: number | null, now: number): string {
  if (since === null) return l10n.t('Observed from here.');
  const time = day.format(since) === day.format(now) ? minute.format(since) : moment.format(since);
  return l10n.t`Observed from here since ${time}.`;
}

/** Names of the statuses of ended jobs. */
export const STATUSES: Readonly<Record<string, string>> = {
  COMPLETED: l10n.t('Completed'),
  FAILED: l10n.t('Failed'),
  CANCELLED: l10n.t('Canceled'),
  TIMED_OUT: l10n.t('Timed out'),
};

type Name = keyof MetricsSummary;

interface SummaryColumn {
  readonly name: Name;
  readonly label: string;
  readonly text: (value: number) => string;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats an amount of data. Counts 1,024 bytes as 1 KB. */
function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${precise.format(bytes / 1_024 ** power)} ${UNITS[power] ?? ''}`;
}

/** Numbers of the whole period, in their order. */
export function summaryColumns(isQueue: boolean): readonly SummaryColumn[] {
  return [
    { name: 'arrivals', label: isQueue ? l10n.t('Jobs') : l10n.t('Requests'), text: numberText },
    { name: 'completed', label: isQueue ? l10n.t('Completed') : l10n.t('Successful'), text: numberText },
    { name: 'failed', label: l10n.t('Failed'), text: numberText },
    ...(isQueue ? [{ name: 'retries' as const, label: l10n.t('Retries'), text: numberText }] : []),
    { name: 'p50', label: 'p50', text: durationText },
    { name: 'p90', label: 'p90', text: durationText },
    { name: 'p99', label: 'p99', text: durationText },
    { name: 'max', label: l10n.t('Longest'), text: durationText },
    { name: 'queueDepth', label: l10n.t('Waiting'), text: numberText },
    { name: 'workers', label: l10n.t('Workers'), text: numberText },
    { name: 'utilization', label: l10n.t('Utilization'), text: shareText },
    { name: 'logBytes', label: l10n.t('Logs'), text: bytesText },
    { name: 'spendUsd', label: l10n.t('Cost'), text: amountText },
  ];
}

/** Describes a change: `+12%`, `−30%`, `×3.4`, `same`. Undefined if there is no ratio. */
export function differenceText(current: number | undefined, before: number): string | undefined {
  if (current === undefined) return undefined;
  if (current === before) return l10n.t('same');
  if (before === 0) return undefined;
  const ratio = current / before;
  if (ratio >= 2) return `×${precise.format(ratio)}`;
  return `${ratio > 1 ? '+' : '−'}${shareText(Math.abs(ratio - 1))}`;
}
