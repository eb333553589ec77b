import * as l10n from '@vscode/l10n';
import { statusWords } from '../../../../account/jobWords.ts';
import { preciseDuration } from '../../../../text/quantities.ts';
import { oneLine } from '../../../../text/shownText.ts';
import { plainWaterfallLines, waterfallLines, type WaterfallLine } from '../../../../text/waterfall.ts';
import { totalOf, type JobLife } from './jobLife.ts';
import { jobWaterfall, type LogPart } from './jobWaterfall.ts';
import { longestPart } from './longestPart.ts';

/** A line of a timeline with a span. */
export interface TimelineLine extends WaterfallLine {
  /** Number of the line in the text, from 0. */
  readonly number: number;
  readonly log: LogPart | undefined;
}

export interface TimelineText {
  readonly text: string;
  readonly lines: readonly TimelineLine[];
  /** Number of the line that says what took longest, from 0. Undefined if there is none. */
  readonly adviceLine: number | undefined;
}

export interface TimelineOptions {
  readonly endpointName: string;
  /** Maximum number of columns of a line with a bar. Undefined: without bars, for screen readers. */
  readonly width: number | undefined;
}

/** Returns the life of a job as a text: facts, the waterfall of its spans, and what stands out. */
export function timelineText(life: JobLife, { endpointName, width }: TimelineOptions): TimelineText {
  const { rows, ...span } = jobWaterfall(life);
  const head = [...headOf(life, endpointName), ''];
  const drawn = width === undefined ? plainWaterfallLines(rows, span.to) : waterfallLines(rows, { ...span, width });
  const lines = drawn.map((line, index) => ({ ...line, number: head.length + index, log: rows[index]?.log }));
  const limits = limitsOf(life);
  const advice = longestPart(life);
  const texts = [
    ...head,
    ...lines.map(({ text }) => text),
    ...(limits === undefined ? [] : [...(rows.length > 0 ? [''] : []), limits]),
  ];
  const adviceLine = advice.length === 0 ? undefined : texts.length + 1;
  if (advice.length > 0) texts.push('', ...advice);
  return { text: `${texts.join('\n')}\n`, lines, adviceLine };
}

function headOf(life: JobLife, endpointName: string): string[] {
  const { jobId, status, submittedAt, finishedAt, spans } = life;
  const total = totalOf(life);
  const workers = [
    ...new Set(spans.filter(({ kind }) => kind === 'running').flatMap(({ workerId }) => workerId ?? [])),
  ];
  const names = workers.map(oneLine).join(', ');
  const words = oneLine(statusWords(status));
  return [
    l10n.t`Job ${oneLine(jobId)} of ${oneLine(endpointName)}`,
    total === undefined
      ? l10n.t`Status: ${words}`
      : finishedAt === undefined
        ? l10n.t`Status: ${words}, ${preciseDuration(total)} so far`
        : l10n.t`Status: ${words} after ${preciseDuration(total)}`,
    ...(submittedAt === undefined ? [] : [l10n.t`Submitted: ${new Date(submittedAt).toLocaleString()}`]),
    ...(workers.length === 0 ? [] : [workers.length === 1 ? l10n.t`Worker: ${names}` : l10n.t`Workers: ${names}`]),
  ];
}

/** Says why a timeline has few spans. */
function limitsOf({ source }: JobLife): string | undefined {
  switch (source) {
    case 'reported':
      return l10n.t('This platform reports only the time of the job in the queue and its run time.');
    case 'gone':
      return l10n.t('The platform no longer has the job. These are the last times that it reported.');
    case 'trace':
      return undefined;
  }
}
