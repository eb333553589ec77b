import * as l10n from '@vscode/l10n';
import { formatted, joinedMarkdown, table, type Markdown, type MarkdownValue } from '../../../text/markdown.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import {
  DAYS_PER_MONTH,
  type DailyTime,
  type Estimate,
  type EstimateInput,
  type Offer,
  type Pattern,
} from '../model/estimate.ts';
import type { Measurement } from '../model/measurement.ts';
import { precise, pricePerHour } from '../../../account/prices/money.ts';
import { costOf } from '../../../account/prices/workerCost.ts';

export interface EstimateReport {
  readonly subject: { readonly kind: 'endpoint' | 'manifest'; readonly name: string };
  readonly connection: { readonly name: string; readonly kind: 'local' | 'hosted' };
  readonly input: Omit<EstimateInput, 'hardware' | 'prices'>;
  readonly estimate: Estimate;
  /** Source of the time of a job. Undefined: the user entered it. */
  readonly measurement: Measurement | undefined;
}

/** Returns an estimate as a document: the result, its terms, its formula, and the cost on each pool and flavor. */
export function estimateReport(report: EstimateReport): Markdown {
  const { subject, estimate } = report;
  const kinds = estimate.offers.some(({ kind, isChosen }) => isChosen && kind === 'gpu')
    ? (['gpu', 'cpu'] as const)
    : (['cpu', 'gpu'] as const);
  return joinedMarkdown(
    [
      formatted`# Cost estimate of “${subject.name}”`,
      resultOf(report),
      ...(estimate.offers.length === 0 ? [] : [...termsOf(report), ...formulaOf(report)]),
      ...kinds.flatMap((kind) => sectionOf(kind, report)),
      ...assumptionsOf(report),
    ],
    '\n\n',
  );
}

function resultOf({ connection, input, estimate }: EstimateReport): Markdown {
  const { secondsPerJob, jobsPerDay } = input;
  if (estimate.offers.length === 0) return formatted`“${connection.name}” lists no prices.`;
  const load = shown`${jobsWords(jobsPerDay)} a day of ${number(secondsPerJob)} s each`;
  const chosen = estimate.offers.filter(({ isChosen }) => isChosen);
  const [least, most] = [chosen[0], chosen.at(-1)];
  if (!least || !most)
    return formatted`The price of this hardware is unknown. The tables compare other hardware, for ${load}.`;
  const amount =
    least === most
      ? formatted`**${precise(least.perMonth)} a month** on ${offerName(least)}`
      : formatted`**${precise(least.perMonth)} to ${precise(most.perMonth)} a month**, on ${offerName(least)} to ${offerName(most)}`;
  return formatted`${amount}, for ${load}.${connection.kind === 'local' ? l10n.t(' The local platform is free: these are hosted prices.') : ''}`;
}

const patterns: Readonly<Record<Pattern, (input: EstimateReport['input']) => string>> = {
  alwaysOn: ({ minWorkers }) =>
    minWorkers === 1
      ? l10n.t('workers.min keeps 1 worker up all day.')
      : l10n.t`workers.min keeps ${minWorkers} workers up all day.`,
  startPerJob: ({ idleTimeoutSeconds }) =>
    l10n.t`Each job starts a worker: the idle timeout of ${number(idleTimeoutSeconds)} s ends between jobs.`,
  staysUp: ({ idleTimeoutSeconds }) =>
    l10n.t`Workers stay up: jobs arrive within the idle timeout of ${number(idleTimeoutSeconds)} s.`,
};

function termsOf({ input, estimate, measurement }: EstimateReport): Markdown[] {
  const { time } = estimate;
  const priced = estimate.offers.find(({ isChosen }) => isChosen) ?? estimate.offers[0];
  const row = (name: string, how: string, seconds: number): MarkdownValue[] => [
    name,
    how,
    l10n.t`${number(seconds)} s`,
    ...(priced ? [precise(costOf(seconds, priced.perHour))] : []),
  ];
  const { jobsPerDay, secondsPerJob, coldStartSeconds } = input;
  const rows = [
    row(l10n.t('Jobs'), `${number(jobsPerDay)} × ${number(secondsPerJob)} s`, time.jobs),
    ...(isIncluded(measurement)
      ? []
      : [
          ...(time.starts === 0
            ? []
            : [row(l10n.t('Cold starts'), `${number(time.starts)} × ${number(coldStartSeconds)} s`, time.starting)]),
          row(l10n.t('Idle time'), idleWords(time, input), time.idle),
        ]),
    row(l10n.t('Day'), l10n.t('sum'), time.total),
  ];
  const head = [
    l10n.t('Term'),
    l10n.t('Calculation'),
    l10n.t('Billed time a day'),
    ...(priced ? [l10n.t`Cost a day on ${priced.id}`] : []),
  ];
  return [
    formatted`## Terms`,
    formatted`${isIncluded(measurement) ? l10n.t('Metered time includes starts and idle time.') : patterns[time.pattern](input)}`,
    table(rows, head),
    formatted`${sourceWords(measurement)}`,
    ...(isIncluded(measurement) || time.starts === 0 ? [] : [formatted`${coldStartWords(measurement)}`]),
  ];
}

function idleWords(
  { pattern, starts }: DailyTime,
  { idleTimeoutSeconds, minWorkers }: EstimateReport['input'],
): string {
  if (pattern === 'startPerJob') return `${number(starts)} × ${number(idleTimeoutSeconds)} s`;
  return pattern === 'alwaysOn' ? l10n.t`${number(minWorkers)} × 86,400 s − jobs` : l10n.t('rest of the day − jobs');
}

function formulaOf({ input, estimate }: EstimateReport): Markdown[] {
  const { time, offers } = estimate;
  const example = offers.find(({ isChosen }) => isChosen) ?? offers[0];
  if (!example) return [];
  const { perHour, perJob, perDay, perMonth } = example;
  const price = pricePerHour(perHour);
  const day = `${number(time.total)} × ${price} ÷ 3,600`;
  const rows = [
    [l10n.t('A job'), `${number(input.secondsPerJob)} × ${price} ÷ 3,600`, precise(perJob)],
    [l10n.t('A day'), day, precise(perDay)],
    [l10n.t('A month'), `${DAYS_PER_MONTH} × ${day}`, precise(perMonth)],
  ];
  return [formatted`## Formula`, table(rows, [l10n.t('Cost of'), l10n.t`On ${example.id}`, l10n.t('Result')])];
}

const headings = { gpu: l10n.t('GPU pools'), cpu: l10n.t('CPU flavors') } as const;
const columns = [l10n.t('Price'), l10n.t('A job'), l10n.t('A day'), l10n.t('A month')];

function chosenWords(id: string, kind: EstimateReport['subject']['kind']): Markdown {
  return kind === 'endpoint' ? formatted`**${id}** ← this endpoint` : formatted`**${id}** ← this manifest`;
}

function sectionOf(kind: Offer['kind'], { subject, estimate }: EstimateReport): Markdown[] {
  const offers = estimate.offers.filter((offer) => offer.kind === kind);
  if (offers.length === 0) return [];
  const rows = offers.map((offer) => [
    offer.isChosen ? chosenWords(offer.id, subject.kind) : offer.id,
    hardwareWords(offer),
    pricePerHour(offer.perHour),
    precise(offer.perJob),
    precise(offer.perDay),
    precise(offer.perMonth),
  ]);
  return [
    formatted`## ${headings[kind]}`,
    table(rows, [kind === 'gpu' ? l10n.t('Pool') : l10n.t('Flavor'), l10n.t('Worker'), ...columns]),
  ];
}

const MAX_NAMES = 4;

function hardwareWords({ kind, count: number, names }: Offer): ShownText {
  const more = names.length > MAX_NAMES ? ' …' : '';
  const list = names.slice(0, MAX_NAMES).join(', ');
  return kind === 'gpu' ? shown`${number} × ${list}${more}` : shown`${list}, ${number} vCPU`;
}

function offerName({ kind, id, count: number }: Offer): string {
  return kind === 'gpu' ? l10n.t`${number} GPU of ${id}` : l10n.t`${id} with ${number} vCPU`;
}

function sourceWords(measurement: Measurement | undefined): string {
  if (!measurement) return l10n.t('You entered the job time.');
  const { jobs } = measurement;
  if (measurement.kind === 'history')
    return jobs === 1 ? l10n.t`Job time: mean of 1 completed job.` : l10n.t`Job time: mean of ${jobs} completed jobs.`;
  return jobs === 1
    ? l10n.t`Metered: ${number(measurement.billedSeconds)} s of workers for 1 job.`
    : l10n.t`Metered: ${number(measurement.billedSeconds)} s of workers for ${jobs} jobs.`;
}

function coldStartWords(measurement: Measurement | undefined): string {
  const coldStart = measurement?.kind === 'history' ? measurement.coldStart : undefined;
  return coldStart
    ? coldStart.jobs === 1
      ? l10n.t('Cold start: the only wait of at least 1 s.')
      : l10n.t`Cold start: median of ${coldStart.jobs} waits of at least 1 s.`
    : l10n.t('No cold start was measured, so it counts as 0 s.');
}

function assumptionsOf({ estimate, measurement }: EstimateReport): Markdown[] {
  if (estimate.offers.length === 0) return [];
  return [
    formatted`## Assumptions`,
    joinedMarkdown(
      [
        formatted`- Jobs take the same time on all hardware.`,
        formatted`- Jobs are spread evenly over the day.`,
        formatted`- Disks, volumes, and taxes are not included.`,
        ...(isIncluded(measurement) ? [formatted`- Metered time per job changes with the number of jobs.`] : []),
      ],
      '\n',
    ),
  ];
}

/** Returns whether the time of a job includes starts and idle time. */
function isIncluded(measurement: Measurement | undefined): measurement is Measurement & { kind: 'meter' } {
  return measurement?.kind === 'meter';
}

function jobsWords(jobs: number): string {
  return jobs === 1 ? l10n.t('1 job') : l10n.t`${number(jobs)} jobs`;
}

/* Numbers in the questions and the report of an estimate. */

/** Maximum time of a job that the question accepts: a week. */
const MAX_SECONDS = 604_800;
const MAX_JOBS = 1_000_000_000;
/** Maximum length of a typed time, in UTF-16 code units. */
const LONGEST = 40;

/** Reads a time in seconds, such as `1.5`, `90 s`, or `1,200`. Undefined: not a time. */
export function parseSeconds(text: string): number | undefined {
  const seconds = text.length > LONGEST ? undefined : parseNumber(text.trim().replace(/\s*(?:s|seconds?)$/i, ''));
  return seconds !== undefined && seconds > 0 && seconds <= MAX_SECONDS ? seconds : undefined;
}

/** Reads a number of jobs, such as `1000`, `1,000`, or `0.5` for one job every two days. Undefined: not a number of jobs. */
export function parseJobs(text: string): number | undefined {
  const jobs = parseNumber(text.trim());
  return jobs !== undefined && jobs > 0 && jobs <= MAX_JOBS ? jobs : undefined;
}

function parseNumber(text: string): number | undefined {
  return /^(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d+)?$/.test(text) && text !== ''
    ? Number(text.replaceAll(',', ''))
    : undefined;
}

/** Formats a number with at most three significant digits after a leading zero, and grouped thousands: `0.0123`, `1.5`, `12,345`. */
export function number(value: number): string {
  const maximumFractionDigits = value < 1 ? 4 : value < 100 ? 2 : 0;
  return new Intl.NumberFormat('en-US', { maximumFractionDigits }).format(value);
}
