import * as l10n from '@vscode/l10n';
import type { TraceSpan, WorkerStartTrace } from '../../../contract/control/controlTraces.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';
import { spanWords } from '../../../account/spanWords.ts';
import { cents } from '../../../account/prices/money.ts';
import { dataSize, duration, preciseDuration } from '../../../text/quantities.ts';
import { oneLine } from '../../../text/shownText.ts';
import {
  plainWaterfallLines,
  waterfallLines,
  type WaterfallLine,
  type WaterfallRow,
  type WaterfallTone,
} from '../../../text/waterfall.ts';
import type { MonthlyCost, Proposal } from './coldStartProposals.ts';

/** A line with a bar. */
export type StartLine = WaterfallLine & { readonly number: number };

export interface StartText {
  readonly text: string;
  readonly lines: readonly StartLine[];
}

export interface StartTextOptions {
  readonly endpointName: string;
  /** Maximum number of columns of a line with a bar. Undefined: without bars, for screen readers. */
  readonly width: number | undefined;
  /** Present of the platform, in ms since the epoch. */
  readonly now: number;
}

/** Returns the start of a worker as a text: facts, the waterfall of its spans, and what would shorten it. */
export function coldStartText(
  start: WorkerStartTrace,
  proposals: readonly Proposal[],
  { endpointName, width, now }: StartTextOptions,
): StartText {
  const { spans, workerId, otherImports } = start;
  const rows = rowsOf(spans);
  const total = totalOf(start);
  const head = [
    l10n.t`Start of worker ${oneLine(workerId)} of ${oneLine(endpointName)}`,
    ...(total === undefined ? [] : [l10n.t`Ready after ${preciseDuration(total)}`]),
    '',
  ];
  const from = Math.min(...rows.map((row) => row.start), now);
  const to = Math.max(...rows.map((row) => row.end ?? now), from);
  const drawn = width === undefined ? plainWaterfallLines(rows, to) : waterfallLines(rows, { from, to, width });
  const texts = [...head, ...drawn.map(({ text }) => text)];
  if (rows.length === 0) texts.push(l10n.t('The platform no longer has the times of this start.'));
  if (otherImports && otherImports.count > 0) {
    const { count, seconds } = otherImports;
    texts.push('', l10n.t`Other modules: ${count}, ${preciseDuration(seconds * 1_000)} together`);
  }
  if (proposals.length > 0)
    texts.push('', l10n.t('Ways to shorten it:'), ...proposals.flatMap((each) => listed(sentence(each), width)));
  return {
    text: `${texts.join('\n')}\n`,
    lines: drawn.map((line, index) => ({ ...line, number: head.length + index })),
  };
}

/** Returns the time of the cold start in ms. Undefined if it has not ended. */
function totalOf({ spans, readyAt }: WorkerStartTrace): number | undefined {
  const cold = spans.find(({ kind }) => kind === 'coldStart');
  return cold && readyAt !== undefined ? millisecondsOf(readyAt) - millisecondsOf(cold.start) : undefined;
}

const DEPTHS: Readonly<Record<string, number>> = {
  ...{ pulling: 1, creating: 1, loading: 1, pullingLayer: 2, importing: 2 },
};

function rowsOf(spans: readonly TraceSpan[]): WaterfallRow[] {
  return spans.map((span) => {
    const { kind, start, end, depth = 0 } = span;
    const notes = notesOf(span);
    return {
      label: labelOf(span),
      depth: (Object.hasOwn(DEPTHS, kind) ? (DEPTHS[kind] ?? 0) : 0) + (kind === 'importing' ? depth : 0),
      start: millisecondsOf(start),
      end: end === undefined ? undefined : millisecondsOf(end),
      tone: toneOf(span),
      ...(notes.length > 0 && { note: notes.join(' · ') }),
    };
  });
}

function labelOf({ kind, name }: TraceSpan): string {
  if (kind === 'importing' && name !== undefined) return name;
  const words = spanWords(kind);
  return name === undefined ? words : `${words} ${name}`;
}

const toneOf = ({ kind }: TraceSpan): WaterfallTone => {
  if (kind.startsWith('waiting')) return 'waiting';
  return kind === 'importing' || kind === 'pullingLayer' ? 'working' : 'starting';
};

function notesOf({ kind, start, end, bytes, isPresent, extractedFrom, selfSeconds, reason }: TraceSpan): string[] {
  const extraction =
    extractedFrom !== undefined && end !== undefined ? millisecondsOf(end) - millisecondsOf(extractedFrom) : undefined;
  const length = end === undefined ? 0 : millisecondsOf(end) - millisecondsOf(start);
  const isOwn = kind === 'importing' && selfSeconds !== undefined && selfSeconds * 1_000 < length * 0.9;
  return [
    ...(isPresent === true ? [l10n.t('already on the engine')] : []),
    ...(bytes === undefined ? [] : [dataSize(bytes)]),
    ...(extraction === undefined ? [] : [l10n.t`extracted in ${preciseDuration(extraction)}`]),
    ...(isOwn ? [l10n.t`${preciseDuration(selfSeconds * 1_000)} without its imports`] : []),
    ...(reason === undefined ? [] : [reason]),
  ];
}

/** Returns an entry of a list. Its lines break between words, so that a narrow editor shows most of them. */
function listed(entry: string, width = Infinity): string[] {
  const lines = [''];
  for (const word of entry.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + word.length + 3 <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line, index) => `${index === 0 ? '• ' : '  '}${line}`);
}

/** Returns a proposal in words. */
function sentence(proposal: Proposal): string {
  const time = preciseDuration(proposal.seconds * 1_000);
  const { cost } = proposal;
  const words = [actionWords(proposal, time), ...(cost ? [costSentence(cost, proposal.code)] : [])];
  return words.join(' ');
}

function actionWords(proposal: Proposal, time: string): string {
  switch (proposal.code) {
    case 'importLazily':
      return l10n.t`Import ${oneLine(proposal.module)} only in the function that uses it: saves up to ${time} of each cold start. The first job that uses it waits instead.`;
    case 'shrinkLayer': {
      const layer = oneLine(proposal.layer);
      return proposal.bytes === undefined
        ? l10n.t`Make layer ${layer} of the image smaller: the pull waited ${time} for it alone.`
        : l10n.t`Make layer ${layer} of the image (${dataSize(proposal.bytes)}) smaller: the pull waited ${time} for it alone.`;
    }
    case 'moveLayerUp':
      return l10n.t`Move layer ${oneLine(proposal.layer)} of the image in front of ${oneLine(proposal.before)}, if only the smaller one changes: saves ${time} of each pull after such a change.`;
    case 'flashboot':
      return l10n.t`Turn on FlashBoot: a worker that stopped in the last 10 minutes resumes, without a cold start of ${time}. A worker on standby costs nothing.`;
    case 'minWorkers':
      return l10n.t`Set the minimum to 1 worker: the first job does not wait ${time} for a cold start.`;
    case 'idleTimeout':
      return l10n.t`Set the idle timeout to ${duration(proposal.timeout)}: avoids ${proposal.avoided} of the cold starts, of ${time} each.`;
  }
}

function costSentence({ usd, isAtMost, coldStarts, days }: MonthlyCost, code: Proposal['code']): string {
  const amount = cents(Math.abs(usd));
  if (code === 'minWorkers')
    return l10n.t`Costs at most ${amount} per month, for a worker that always runs. The endpoint had ${coldStarts} cold starts in ${days} days.`;
  if (usd < 0)
    return l10n.t`Saves ${amount} per month, based on the ${coldStarts} cold starts of the last ${days} days.`;
  return isAtMost
    ? l10n.t`Costs at most ${amount} per month, based on the ${coldStarts} cold starts of the last ${days} days.`
    : l10n.t`Costs ${amount} per month, based on the ${coldStarts} cold starts of the last ${days} days.`;
}
