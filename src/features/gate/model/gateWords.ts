import * as l10n from '@vscode/l10n';
import { precise } from '../../../account/prices/money.ts';
import { dataSize, preciseDuration } from '../../../text/quantities.ts';
import { code, formatted, joinedMarkdown, table, type Markdown, type MarkdownValue } from '../../../text/markdown.ts';
import { pathText } from '../../jobs/model/expectations/mismatch.ts';
import type { OutputDifference } from './compareOutputs.ts';
import type { GateFailure, GateJob, GateReport, SideReport } from './gateReport.ts';

/* A report in words. Outputs are foreign text, from which `hide` removes secrets. */

/** Longest value of an output in a report, in UTF-16 code units. */
const LONGEST_VALUE = 120;
const MAX_LINES = 20;

export type Hide = (text: string) => string;

/** Describes why a gate fails, in one line. */
export function failureWords(failure: GateFailure): string {
  switch (failure.code) {
    case 'outputs':
      return failure.jobs === 1 ? l10n.t('1 job has another result') : l10n.t`${failure.jobs} jobs have other results`;
    case 'notRun':
      return failure.jobs === 1 ? l10n.t('1 job could not run') : l10n.t`${failure.jobs} jobs could not run`;
    case 'slower':
      return l10n.t`The median execution time is ${percent(failure.percent)} longer, and ${percent(failure.accepted)} is accepted`;
  }
}

/** Returns the result of a gate in one line. */
export function verdictWords({ passed, jobs, failures }: GateReport): string {
  if (passed)
    return jobs.length === 1 ? l10n.t('The gate passed with 1 job') : l10n.t`The gate passed with ${jobs.length} jobs`;
  return l10n.t`The gate failed: ${failures.map(failureWords).join('; ')}`;
}

/** Describes a job whose result is not the expected one, one line for each reason. */
export function jobLines(job: GateJob, hide: Hide): readonly string[] {
  const { outcome, before = '', after = '', differences, mismatches, reason } = job;
  const lines = [
    ...(before === after ? [] : [l10n.t`The status is ${after} instead of ${before}`]),
    // Differences of errors have the reason.
    ...(reason === undefined || outcome === 'fixed' || differences.length > 0 ? [] : [reason]),
    ...mismatches,
    ...differences.map(differenceWords),
  ];
  const more = lines.length - MAX_LINES;
  // Secrets are removed before a value is cut, because a part of a secret is not recognizable.
  return [...lines.slice(0, MAX_LINES).map(hide), ...(more > 0 ? [l10n.t`and ${more} more`] : [])];

  function differenceWords({ path, kind, before: old, after: now, fraction }: OutputDifference): string {
    const at = pathText(['output', ...path]);
    switch (kind) {
      case 'missing':
        return l10n.t`${at}: the value ${value(old)} is missing`;
      case 'added':
        return l10n.t`${at}: the value ${value(now)} is new`;
      case 'number':
      case 'text':
        return l10n.t`${at}: ${value(now)} instead of ${value(old)}, a difference of ${percent(100 * (fraction ?? 0))}`;
      case 'image':
        return l10n.t`${at}: ${percent(100 * (fraction ?? 0))} of the pixels differ`;
      case 'imageSize':
        return l10n.t`${at}: the image has another size`;
      case 'imageFile':
        return l10n.t`${at}: the image file differs, and its format cannot be compared`;
      case 'errorType':
        return l10n.t`The type of the error is ${errorType(now)} instead of ${errorType(old)}`;
      case 'errorMessage':
        return l10n.t`The message of the error is ${value(now)} instead of ${value(old)}, a difference of ${percent(100 * (fraction ?? 0))}`;
      case 'type':
      case 'value':
        return l10n.t`${at}: ${value(now)} instead of ${value(old)}`;
    }
  }

  function errorType(type: unknown): string {
    return typeof type === 'string' ? type : l10n.t('unknown');
  }

  function value(content: unknown): string {
    const text = hide(JSON.stringify(content));
    return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
  }
}

/** Returns the measurements of both versions, a row for each. */
export function measurementRows({ before, after }: GateReport): readonly (readonly [string, string, string])[] {
  const row = (
    label: string,
    of: (side: SideReport) => number | undefined,
    words: (number: number) => string,
  ): readonly [string, string, string] => {
    const cell = (side: SideReport) => {
      const number = of(side);
      return number === undefined ? l10n.t('not measured') : words(number);
    };
    return [label, cell(before), cell(after)];
  };
  return [
    row(l10n.t('Execution time, median'), ({ medianMs }) => medianMs, preciseDuration),
    row(l10n.t('Execution time, 95th percentile'), ({ p95Ms }) => p95Ms, preciseDuration),
    row(l10n.t('Cold start'), ({ coldStartMs }) => coldStartMs, preciseDuration),
    row(l10n.t('Memory'), ({ memoryBytes }) => memoryBytes, dataSize),
    row(l10n.t('Cost of the jobs'), ({ usd }) => usd, precise),
  ];
}

/** Explains why the memory is unknown although jobs ran. */
export function measurementNote({ before, after }: GateReport): string | undefined {
  if ([before, after].every(({ medianMs, memoryBytes }) => medianMs === undefined || memoryBytes !== undefined))
    return undefined;
  return l10n.t('Memory is measured for workers that run as processes, and not for containers or on another platform.');
}

const OUTCOMES: Readonly<Record<GateJob['outcome'], string>> = {
  same: l10n.t('same'),
  fixed: l10n.t('fixed'),
  differs: l10n.t('differs'),
  notRun: l10n.t('did not run'),
};

export function outcomeWords({ outcome }: GateJob): string {
  return OUTCOMES[outcome];
}

/** Returns a report as Markdown that can be shared. */
export function gateDocument(report: GateReport, hide: Hide): Markdown {
  const { endpoint, before, after, jobs } = report;
  const ms = (time: number | undefined): MarkdownValue => (time === undefined ? '' : preciseDuration(time));
  const others = jobs.filter(({ outcome }) => outcome === 'differs' || outcome === 'notRun');
  const note = measurementNote(report);
  return joinedMarkdown(
    [
      formatted`# Gate of “${endpoint}”`,
      formatted`${verdictWords(report)}.`,
      formatted`## Measurements`,
      table(measurementRows(report), ['', hide(before.label), hide(after.label)]),
      ...(note === undefined ? [] : [formatted`${note}`]),
      formatted`## Jobs`,
      table(
        jobs.map((job) => [code(job.name), outcomeWords(job), ms(job.beforeMs), ms(job.afterMs)]),
        [l10n.t('Job'), l10n.t('Result'), hide(before.label), hide(after.label)],
      ),
      ...others.flatMap((job) => [
        formatted`### ${code(job.name)}`,
        joinedMarkdown(
          jobLines(job, hide).map((line) => formatted`- ${line}`),
          '\n',
        ),
      ]),
    ],
    '\n\n',
  );
}

function percent(number: number): string {
  return `${number.toLocaleString('en-US', { maximumSignificantDigits: 3 })} %`;
}
