import * as l10n from '@vscode/l10n';
import { count } from '../../../text/quantities.ts';
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
import { number } from './numbers.ts';

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

function resultOf({ subject, connection, input, estimate }: EstimateReport): Markdown {
  const { secondsPerJob, jobsPerDay } = input;
  if (estimate.offers.length === 0)
    return formatted`The catalog of “${connection.name}” contains no prices, so nothing can be estimated.`;
  const load = shown`${jobsWords(jobsPerDay)} a day of ${number(secondsPerJob)} s each`;
  const chosen = estimate.offers.filter(({ isChosen }) => isChosen);
  const [least, most] = [chosen[0], chosen.at(-1)];
  if (!least || !most)
    return formatted`The price of the hardware of this ${subject.kind} is not known. The tables show the cost of other hardware, for ${load}.`;
  const amount =
    least === most
      ? formatted`**${precise(least.perMonth)} a month** on ${offerName(least)}`
      : formatted`**${precise(least.perMonth)} to ${precise(most.perMonth)} a month**, on ${offerName(least)} to ${offerName(most)}`;
  return formatted`${amount}, for ${load}.${connection.kind === 'local' ? l10n.t(' The local platform is free: these are hosted prices.') : ''}`;
}

const patterns: Readonly<Record<Pattern, (input: EstimateReport['input']) => string>> = {
  alwaysOn: ({ minWorkers }) =>
    l10n.t`workers.min keeps ${count(minWorkers, 'worker')} up all day, so no job waits for a start.`,
  startPerJob: ({ idleTimeoutSeconds }) =>
    l10n.t`The pause between two jobs is longer than the idle timeout of ${number(idleTimeoutSeconds)} s, so each job starts a worker.`,
  staysUp: ({ idleTimeoutSeconds }) =>
    l10n.t`The pause between two jobs is shorter than the idle timeout of ${number(idleTimeoutSeconds)} s, so workers stay up all day.`,
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
    row(l10n.t('Day'), 'sum', time.total),
  ];
  const head = [
    l10n.t('Term'),
    l10n.t('Calculation'),
    l10n.t('Billed time a day'),
    ...(priced ? [l10n.t`Cost a day on ${priced.id}`] : []),
  ];
  return [
    formatted`## Terms`,
    formatted`${isIncluded(measurement) ? l10n.t('The metered time of a job includes starts and idle time.') : patterns[time.pattern](input)}`,
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
    [
      l10n.t('A job'),
      l10n.t('seconds × price ÷ 3,600'),
      `${number(input.secondsPerJob)} × ${price} ÷ 3,600`,
      precise(perJob),
    ],
    [l10n.t('A day'), l10n.t('billed time × price ÷ 3,600'), day, precise(perDay)],
    [l10n.t('A month'), l10n.t`${DAYS_PER_MONTH} × day`, `${DAYS_PER_MONTH} × ${day}`, precise(perMonth)],
  ];
  return [
    formatted`## Formula`,
    table(rows, [l10n.t('Cost of'), l10n.t('Formula'), l10n.t`On ${example.id}`, l10n.t('Result')]),
  ];
}

const headings = { gpu: l10n.t('GPU pools'), cpu: l10n.t('CPU flavors') } as const;
const columns = [l10n.t('Price'), l10n.t('A job'), l10n.t('A day'), l10n.t('A month')];

function sectionOf(kind: Offer['kind'], { subject, estimate }: EstimateReport): Markdown[] {
  const offers = estimate.offers.filter((offer) => offer.kind === kind);
  if (offers.length === 0) return [];
  const rows = offers.map((offer) => [
    offer.isChosen ? formatted`**${offer.id}** ← this ${subject.kind}` : offer.id,
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
  if (!measurement) return l10n.t('You entered the time of a job.');
  const { jobs, seconds } = measurement;
  if (measurement.kind === 'history')
    return l10n.t`The time of a job is the mean run time of ${count(jobs, 'completed job')} in the Jobs view: ${number(seconds)} s.`;
  return l10n.t`The local platform metered ${number(measurement.billedSeconds)} s of workers for ${count(jobs, 'job')}: ${number(seconds)} s per job.`;
}

function coldStartWords(measurement: Measurement | undefined): string {
  const coldStart = measurement?.kind === 'history' ? measurement.coldStart : undefined;
  return coldStart
    ? l10n.t`The time of a cold start is the median wait of the ${count(coldStart.jobs, 'job')} that waited at least 1 s in the queue.`
    : l10n.t('No measured job waited for a worker, so a cold start counts as 0 s.');
}

function assumptionsOf({ estimate, measurement }: EstimateReport): Markdown[] {
  if (estimate.offers.length === 0) return [];
  return [
    formatted`## Assumptions`,
    joinedMarkdown(
      [
        formatted`- A job takes the same time on all hardware. Faster hardware makes it cheaper than shown here.`,
        formatted`- Jobs are spread evenly over the day. Bursts cause more starts.`,
        formatted`- Disks, volumes, and taxes are not included.`,
        ...(isIncluded(measurement)
          ? [
              formatted`- With a different number of jobs a day, the metered time per job changes, because workers share starts and idle time.`,
            ]
          : []),
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
  return count(jobs, 'job', number(jobs));
}
