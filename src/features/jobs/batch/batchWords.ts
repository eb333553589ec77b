import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { duration } from '../../../text/quantities.ts';
import { joined, shown, type ShownText } from '../../../text/shownText.ts';
import { MAX_DEPTH } from '../model/positionedJson.ts';
import type { BatchProgress } from './actions/runBatch.ts';
import type { Obstacle } from './actions/platformGate.ts';
import type { ListedBatch, UnreadableBatch } from './actions/listBatches.ts';
import type { BatchState } from './model/batchState.ts';
import type { BatchHeader } from './model/journalEntries.ts';
import {
  MAX_COLUMNS,
  type BrokenRow,
  type RowProblem,
  type RowReference,
  type SourceError,
} from './model/sourceRow.ts';

/* Texts about batches. */

/** Formats whole numbers, such as `2,000`. */
export const whole = new Intl.NumberFormat('en-US');
const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumSignificantDigits: 3 });

/** Returns the name of the source in quotation marks. */
export function nameOf({ source }: Pick<BatchHeader, 'source'>): ShownText {
  return shown`“${path.basename(source.path)}”`;
}

export function progressText({
  rows,
  counts,
  inFlight,
  perSecond,
  secondsLeft,
  usd,
  ...state
}: BatchProgress): ShownText {
  const { completed, failed, canceled } = counts;
  const isStopped = state.isPaused || state.obstacle !== undefined;
  const parts = [
    rows === 1
      ? l10n.t`${whole.format(completed + failed + canceled)} of 1 row`
      : l10n.t`${whole.format(completed + failed + canceled)} of ${whole.format(rows)} rows`,
    ...(failed > 0 ? [l10n.t`${whole.format(failed)} failed`] : []),
    l10n.t`${whole.format(inFlight)} in flight`,
    ...(perSecond >= 0.1 && !isStopped ? [`${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`] : []),
    ...(secondsLeft === undefined || isStopped ? [] : [l10n.t`${duration(secondsLeft)} left`]),
    ...(usd === undefined || usd === 0 ? [] : [l10n.t`about ${dollars.format(usd)}`]),
  ];
  const text = joined(parts, ', ');
  if (state.obstacle) return shown`waiting: ${obstacleText(state.obstacle)} (${text})`;
  return state.isPaused ? shown`paused (${text})` : text;
}

const OBSTACLES: Readonly<Record<Obstacle['kind'], string>> = {
  disconnected: l10n.t('the connection of the batch is not available'),
  network: l10n.t('the platform cannot be reached'),
  timeout: l10n.t('the platform does not respond in time'),
  server: l10n.t('the platform fails'),
  rateLimited: l10n.t('the rate limit is exhausted'),
  unauthorized: l10n.t('the API key was not accepted'),
  forbidden: l10n.t('the API key does not allow this'),
  notFound: l10n.t('the endpoint no longer exists'),
  validation: l10n.t('the platform refuses the request'),
  canceled: l10n.t('canceled'),
};

function obstacleText({ kind }: Obstacle): string {
  return OBSTACLES[kind];
}

/** Returns the numbers of rows by outcome, such as `1,990 completed, 10 failed`. */
export function outcomeText({ counts }: BatchState): ShownText {
  const { completed, failed, canceled, uncertain, pending, sending, accepted } = counts;
  const open = pending + sending + accepted;
  const parts = [
    [completed, l10n.t('completed')],
    [failed, l10n.t('failed')],
    [canceled, l10n.t('canceled')],
    [uncertain, l10n.t('uncertain')],
    [open, l10n.t('left')],
  ] as const;
  const present = parts.filter(([number, word]) => number > 0 || word === 'completed');
  return joined(
    present.map(([number, word]) => `${whole.format(number)} ${word}`),
    ', ',
  );
}

export function leftText({ header, left }: BatchState): ShownText {
  return header.rows === 1
    ? shown`The batch ${nameOf(header)} has ${whole.format(left)} of 1 row left.`
    : shown`The batch ${nameOf(header)} has ${whole.format(left)} of ${whole.format(header.rows)} rows left.`;
}

/** Returns the reason why a batch cannot run, and the remedy. */
export function problemDetail({ problem }: UnreadableBatch): string {
  switch (problem) {
    case 'newer':
      return l10n.t('A newer version of the extension wrote this batch. Update the extension to use it.');
    case 'damaged':
      return l10n.t(
        'The file with its rows and endpoint is damaged, so it cannot resume. Its stored results can be opened.',
      );
    case 'unreadable':
      return l10n.t('Its files cannot be read. Check the permissions of its folder.');
  }
}

export function unreadableState({ problem, isRunning }: UnreadableBatch): string {
  if (isRunning) return l10n.t('Running');
  if (problem === 'newer') return l10n.t('Newer Version');
  return problem === 'damaged' ? l10n.t('Damaged') : l10n.t('Not Readable');
}

/** Returns a sentence about damages of a batch that can still run, if there are any. */
export function damageText({ damages }: BatchState): ShownText | undefined {
  if (damages === 0) return undefined;
  return damages === 1
    ? shown`Its journal is damaged in 1 place. Rows that may already have been sent are not sent again.`
    : shown`Its journal is damaged in ${whole.format(damages)} places. Rows that may already have been sent are not sent again.`;
}

/** Returns the state of a batch in one word or two. */
export function stateText({ state, isRunning }: ListedBatch, isPaused: boolean): string {
  if (isRunning) return isPaused ? l10n.t('Paused') : l10n.t('Running');
  if (state.stop === 'canceled') return l10n.t('Canceled');
  return state.left === 0 ? l10n.t('Done') : l10n.t('Interrupted');
}

function referenceText(reference: RowReference): ShownText {
  return typeof reference === 'number' ? shown`Line ${reference}` : shown`${reference}`;
}

function problemText(problem: RowProblem): ShownText {
  switch (problem.code) {
    case 'notJson':
      return shown`is not JSON (${problem.message})`;
    case 'invalid':
      return shown`is not a valid job (${problem.message})`;
    case 'notObject':
      return shown`is not an object`;
    case 'notUtf8':
      return shown`is not UTF-8 text`;
    case 'tooLarge':
      return shown`exceeds the limit of 10 MiB`;
    case 'tooDeep':
      return shown`has more than ${MAX_DEPTH} levels of nesting`;
    case 'quotes':
      return shown`has a quotation mark in the wrong place`;
    case 'openQuote':
      return shown`has an opening quotation mark without a closing one`;
    case 'columns':
      return problem.found === 1
        ? shown`has 1 column instead of ${problem.expected}`
        : shown`has ${whole.format(problem.found)} columns instead of ${problem.expected}`;
  }
}

export function brokenText({ reference, problem }: BrokenRow): ShownText {
  return shown`${referenceText(reference)} ${problemText(problem)}`;
}

/** Returns a clause for a source that cannot be read as rows. */
export function sourceErrorText({ code, subject }: SourceError): ShownText {
  switch (code) {
    case 'empty':
      return shown`the file has no header`;
    case 'utf16':
      return shown`the file has the encoding UTF-16; save it as UTF-8`;
    case 'emptyHeader':
      return shown`a column of the header has no name`;
    case 'duplicateHeader':
      return shown`the header contains “${subject}” twice`;
    case 'tooManyColumns':
      return shown`the header has over ${whole.format(MAX_COLUMNS)} columns`;
    case 'quotes':
      return shown`the header has a quotation mark in the wrong place`;
    case 'tooManyRows':
      return shown`it has over 1,000,000 rows`;
  }
}
