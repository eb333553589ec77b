import * as l10n from '@vscode/l10n';
import { costWords, precise, pricePerHour } from '../../../account/prices/money.ts';
import { duration } from '../../../text/quantities.ts';
import type { LoadProgress } from '../actions/runLoad.ts';
import { type LoadProfile, loadSeconds } from './arrivals.ts';
import { compareReports, type ComparedValue } from './comparison.ts';
import type { LoadReport, Percentiles } from './report.ts';
import type { Verdict } from './threshold.ts';
import { formatted, joinedMarkdown, table, type Markdown } from '../../../text/markdown.ts';

/* Load tests in words, for documents of the editor and for terminals. */

/** A part of a report. */
export interface ReportTable {
  /** Undefined: the first part. */
  readonly title?: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Formats a latency with three significant digits, such as `12.3 ms` or `1.25 s`. */
export function latencyWords(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return ms < 999.5 ? `${digits(ms)} ms` : `${digits(ms / 1_000)} s`;
}

function digits(value: number): string {
  return value >= 1_000
    ? count(Math.round(value))
    : new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 }).format(value);
}

function count(value: number): string {
  return new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 }).format(value);
}

/** Formats a part, such as `0.8 %`. */
function percent(part: number | undefined): string {
  if (part === undefined) return '–';
  return `${new Intl.NumberFormat('en-US', { maximumFractionDigits: part < 0.1 ? 2 : 1 }).format(part * 100)} %`;
}

/** Describes the arrivals, such as `10 per second for 1 min`. */
export function profileWords(profile: LoadProfile): string {
  const time = duration(Math.round(loadSeconds(profile)));
  if (profile.kind === 'trace') return l10n.t`${count(profile.offsets.length)} recorded arrivals in ${time}`;
  const { rate, rampTo, arrivals } = profile;
  const rates = rate === rampTo ? digits(rate) : l10n.t`${digits(rate)} to ${digits(rampTo)}`;
  return arrivals === 'poisson'
    ? l10n.t`${rates} per second for ${time}, at random times (Poisson)`
    : l10n.t`${rates} per second for ${time}`;
}

/** Returns the state of a load test in one line. */
export function progressWords({ counts, inFlight, isDraining, latency, errors, usd }: LoadProgress): string {
  return [
    ...(isDraining ? [l10n.t('draining')] : []),
    l10n.t`${count(counts.due - counts.notSent)} sent`,
    l10n.t`${count(inFlight)} in flight`,
    ...(latency.p50 === undefined ? [] : [`p50 ${latencyWords(latency.p50)}`, `p99 ${latencyWords(latency.p99)}`]),
    ...(errors === undefined ? [] : [l10n.t`${percent(errors)} errors`]),
    ...(usd === undefined ? [] : [costWords(usd)]),
  ].join(', ');
}

/** Returns the tables of a report, and of its comparison with an earlier one. */
export function reportTables(report: LoadReport, earlier?: LoadReport): ReportTable[] {
  return [
    summaryOf(report),
    latenciesOf(report),
    ...thresholdsOf(report),
    settingsOf(report),
    ...changesOf(report),
    ...(earlier ? comparisonTables(report, earlier) : []),
  ];
}

const ENDS = {
  canceled: l10n.t('a cancellation, before the last arrival'),
  cap: l10n.t('the cost cap, before the last arrival'),
} as const;

function summaryOf(report: LoadReport): ReportTable {
  const { endpoint, platform, profile, end, counts, failures, cost, workers, throughput } = report;
  const { due, completed, failed, timedOut, unanswered, notSent } = counts;
  const reasons = Object.entries(failures).map(([reason, number]) => `${reason}: ${count(number)}`);
  const some = (name: string, number: number): string[][] => (number === 0 ? [] : [[name, count(number)]]);
  return {
    head: [l10n.t('Load test'), ''],
    rows: [
      [l10n.t('Endpoint'), `${endpoint.name} (${endpoint.id}), ${platform}`],
      [l10n.t('File'), report.file],
      [l10n.t('Began'), report.startedAt],
      [l10n.t('Arrivals'), profileWords(profile)],
      ...(end === 'profile' ? [] : [[l10n.t('Ended by'), ENDS[end]]]),
      [l10n.t('Due'), count(due)],
      [l10n.t('Completed'), l10n.t`${count(completed)}, ${digits(throughput)} per second`],
      ...some(l10n.t('Failed'), failed),
      ...some(l10n.t('Timed out'), timedOut),
      ...some(l10n.t('Without a result'), unanswered),
      ...some(l10n.t('Not sent'), notSent),
      ...(reasons.length === 0 ? [] : [[l10n.t('Reasons'), reasons.join(', ')]]),
      ...(cost ? [[l10n.t('Cost'), costOf(cost)]] : []),
      ...(workers === undefined ? [] : [[l10n.t('Most workers'), count(workers)]]),
    ],
  };
}

function costOf({ usd, perThousand, pricePerHour: price }: NonNullable<LoadReport['cost']>): string {
  const total = l10n.t`${costWords(usd)}, at up to ${pricePerHour(price)} per worker`;
  return perThousand === undefined ? total : l10n.t`${total}, ${precise(perThousand)} per 1,000`;
}

function latenciesOf({ latency, queue, execution, lateness }: LoadReport): ReportTable {
  const row = (name: string, values: Percentiles) => {
    const { p50, p90, p99, p999, max, mean } = values;
    return max === undefined ? [] : [[name, ...[p50, p90, p99, p999, max, mean].map(latencyWords)]];
  };
  return {
    title: l10n.t('Latency'),
    head: ['', 'p50', 'p90', 'p99', 'p99.9', l10n.t('max'), l10n.t('mean')],
    rows: [
      ...row(l10n.t('From the intended time to the result'), latency),
      ...row(l10n.t('In the queue'), queue),
      ...row(l10n.t('On the worker'), execution),
      ...row(l10n.t('Sent late by this machine'), lateness),
    ],
  };
}

function thresholdsOf({ thresholds }: LoadReport): ReportTable[] {
  if (thresholds.length === 0) return [];
  const rows = thresholds.map((verdict) => [
    verdict.text,
    thresholdValue(verdict),
    verdict.holds ? l10n.t('holds') : l10n.t('violated'),
  ]);
  return [{ title: l10n.t('Thresholds'), head: [l10n.t('Threshold'), l10n.t('Measured'), l10n.t('Result')], rows }];
}

/** Formats the measured value of a threshold, whose text begins with the name of the value. */
export function thresholdValue({ text, value }: Verdict): string {
  if (value === undefined) return '–';
  if (text.startsWith('errors')) return percent(value);
  return text.startsWith('cost') ? costWords(value) : latencyWords(value);
}

function settingsOf({ settings }: LoadReport): ReportTable {
  const rows = Object.entries(settings).map(([name, value]) => [name, String(value)]);
  return { title: l10n.t('Settings at the start'), head: [l10n.t('Setting'), l10n.t('Value')], rows };
}

function changesOf({ changes }: LoadReport): ReportTable[] {
  if (changes.length === 0) return [];
  const rows = changes.map(({ setting, from = '–', to = '–' }) => [setting, String(from), String(to)]);
  const title = l10n.t('Settings that changed during the load test');
  return [{ title, head: [l10n.t('Setting'), l10n.t('Before'), l10n.t('After')], rows }];
}

const METRICS: Readonly<Record<ComparedValue['metric'], string>> = {
  ...{ p50: 'p50', p90: 'p90', p99: 'p99', p999: 'p99.9', max: l10n.t('max'), mean: l10n.t('mean') },
  errors: l10n.t('Errors'),
  throughput: l10n.t('Completed per second'),
  perThousand: l10n.t('Cost per 1,000'),
  workers: l10n.t('Most workers'),
};

function comparisonTables(later: LoadReport, earlier: LoadReport): ReportTable[] {
  const { values, settings, isAlike } = compareReports(earlier, later);
  const rows = values.map((value) => {
    const { metric, earlier: before, later: after } = value;
    return [METRICS[metric], valueWords(metric, before), valueWords(metric, after), changeWords(before, after)];
  });
  const differing = settings.map(({ setting, from = '–', to = '–' }) => [setting, String(from), String(to), '']);
  const alike = isAlike ? [] : [[l10n.t('Arrivals'), profileWords(earlier.profile), profileWords(later.profile), '']];
  return [
    {
      title: isAlike
        ? l10n.t`Compared with ${earlier.startedAt}`
        : l10n.t`Compared with ${earlier.startedAt}, which had a different load`,
      head: [l10n.t('Value'), l10n.t('Earlier'), l10n.t('This one'), l10n.t('Change')],
      rows: [...alike, ...rows, ...differing],
    },
  ];
}

function valueWords(metric: ComparedValue['metric'], value: number | undefined): string {
  if (value === undefined) return '–';
  if (metric === 'errors') return percent(value);
  if (metric === 'perThousand') return precise(value);
  return metric === 'throughput' || metric === 'workers' ? digits(value) : latencyWords(value);
}

function changeWords(before: number | undefined, after: number | undefined): string {
  if (before === undefined || after === undefined || before === 0) return before === after ? '±0 %' : '–';
  const change = (after - before) / before;
  const sign = change > 0 ? '+' : change < 0 ? '−' : '±';
  return `${sign}${new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }).format(Math.abs(change) * 100)} %`;
}

/** Returns a report as a document, with its comparison with an earlier one. */
export function reportDocument(report: LoadReport, earlier?: LoadReport): Markdown {
  return joinedMarkdown(
    [
      formatted`# Load test of “${report.endpoint.name}”`,
      ...reportTables(report, earlier).flatMap(({ title, head, rows }) => [
        ...(title === undefined ? [] : [formatted`## ${title}`]),
        table(rows, title === undefined ? undefined : head),
      ]),
    ],
    '\n\n',
  );
}
