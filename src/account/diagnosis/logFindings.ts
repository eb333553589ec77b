import { exitOf, readSystemLine, type ReadLine, type WorkerExit } from '../../contract/systemLines.ts';
import { startProblemOf, type StartProblem } from '../../contract/startProblem.ts';
import type { LogEvent } from '../../contract/workerLogs.ts';
import { withoutControlSequences } from '../../text/shownText.ts';
import { withinBounds } from '../endpoints/boundedLogLine.ts';

/* Searches a worker's log for the reason why the worker does not run. */

export type LogFinding =
  | {
      readonly kind: 'crash';
      /** Undefined if the platform does not report how the process ended. */
      readonly exit: WorkerExit | undefined;
      /** Number of exits in the log. */
      readonly times: number;
      /** Output before the last exit. */
      readonly lastLines: readonly string[];
    }
  | { readonly kind: 'notStarted'; readonly reason: string; readonly problem?: StartProblem | undefined }
  | { readonly kind: 'imageUnavailable'; readonly reason: string }
  /** The worker may run, but its engine does not respond. */
  | { readonly kind: 'engineUnreachable'; readonly reason: string }
  | { readonly kind: 'notReady'; readonly reason: string };

/** Number of starts without a reported exit that indicate a crash loop. */
const CRASH_LOOP_STARTS = 3;
const LAST_LINES = 20;

/** A line of the log. */
interface Entry {
  readonly text: string;
  readonly isSystem: boolean;
  /** Parsed content of a system line. */
  readonly said: ReadLine | undefined;
}

/**
 * Returns the reason why a worker does not run. Returns undefined if the log contains none, or if the worker became ready later.
 *
 * @param seen the newest lines of the log, oldest first
 */
export function findReason(seen: readonly LogEvent[]): LogFinding | undefined {
  const entries = seen.map(entryOf);
  const readyAt = entries.findLastIndex(({ said }) => said?.kind === 'ready');
  const unreachable = lostEngine(entries);
  if (unreachable) return unreachable;
  const since = entries.slice(readyAt + 1);
  const pull = lastOf(since, 'imageUnavailable');
  if (pull) return { kind: 'imageUnavailable', reason: pull.reason };
  const notStarted = lastOf(since, 'notStarted', 'notStartedBecause');
  if (notStarted?.kind === 'notStartedBecause') {
    return { kind: 'notStarted', reason: notStarted.reason, problem: startProblemOf(notStarted.problem) };
  }
  if (notStarted) return { kind: 'notStarted', reason: notStarted.reason };
  // Includes exits before the worker was last ready, because they also indicate a crash loop.
  const ends = indexesOf(entries, ({ said }) => exitOf(said) !== undefined);
  const lastEnd = ends.at(-1);
  if (lastEnd !== undefined && lastEnd > readyAt) {
    const exit = exitOf(entries[lastEnd]?.said);
    return { kind: 'crash', exit, times: ends.length, lastLines: linesBefore(entries, lastEnd) };
  }
  const starts = indexesOf(since, ({ said }) => said?.kind === 'starting' || said?.kind === 'containerStarting');
  if (starts.length >= CRASH_LOOP_STARTS) {
    const lastLines = linesBefore(since, starts.at(-1) ?? 0);
    return { kind: 'crash', exit: undefined, times: starts.length - 1, lastLines };
  }
  const notReady = lastOf(since, 'notReady');
  return notReady && { kind: 'notReady', reason: notReady.reason };
}

/** Kinds of lines that show that the engine responds again. */
const AFTER_LOSS: readonly ReadLine['kind'][] = ['engineReachable', 'ready', 'starting', 'started', 'adopted'];

/** Returns the reason why the engine does not respond, unless a later line shows that it does. */
function lostEngine(entries: readonly Entry[]): LogFinding | undefined {
  const index = entries.findLastIndex(({ said }) => said?.kind === 'engineUnreachable');
  const said = entries[index]?.said;
  if (said?.kind !== 'engineUnreachable') return undefined;
  const isBack = entries
    .slice(index + 1)
    .some(({ said: later }) => later && (AFTER_LOSS.includes(later.kind) || exitOf(later) !== undefined));
  return isBack ? undefined : { kind: 'engineUnreachable', reason: said.reason };
}

function entryOf(event: LogEvent): Entry {
  const text = plain(withinBounds(event).line);
  const isSystem = event.source === 'system';
  return { text, isSystem, said: isSystem ? readSystemLine(text) : undefined };
}

type ReasonKind = 'imageUnavailable' | 'notStarted' | 'notStartedBecause' | 'notReady';
type Reason = Extract<ReadLine, { readonly kind: ReasonKind }>;

/** Returns the last system line of one of these kinds, which give a reason. */
function lastOf(entries: readonly Entry[], ...kinds: readonly ReasonKind[]): Reason | undefined {
  return entries
    .map(({ said }) => said)
    .findLast((said): said is Reason => (kinds as readonly (string | undefined)[]).includes(said?.kind));
}

function indexesOf(entries: readonly Entry[], matches: (entry: Entry) => boolean): number[] {
  return entries.flatMap((entry, index) => (matches(entry) ? [index] : []));
}

/**
 * Returns the last consecutive lines that the worker wrote before an entry. If the worker wrote none, returns the output that the host repeats
 * after the entry.
 */
function linesBefore(entries: readonly Entry[], index: number): string[] {
  const before = entries.slice(0, index);
  const end = before.findLastIndex(({ isSystem }) => !isSystem) + 1;
  const start = before.slice(0, end).findLastIndex(({ isSystem }) => isSystem) + 1;
  const own = before.slice(start, end).filter(({ text }) => text.trim() !== '');
  const lines = own.length > 0 ? own : entries.slice(index + 1).filter(({ said }) => said?.kind === 'output');
  return lines.slice(-LAST_LINES).map(({ text }) => text);
}

/** Removes control sequences, such as colors, and trailing white space. */
function plain(line: string): string {
  return withoutControlSequences(line).trimEnd();
}

/* Searches the output of a worker's program. Programs choose their own wording, so only patterns can find a failure. */

const SIGNS_OF_FAILURE = /error|exception|fatal|panic|denied|not found/i;

/** Returns the last line that mentions a failure, else the last line. A stack trace often follows the line with the failure. */
export function failureLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => SIGNS_OF_FAILURE.test(line)) ?? lines.at(-1);
}
