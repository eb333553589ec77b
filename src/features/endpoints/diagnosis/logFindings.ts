import { exitOf, readSystemLine, type ReadLine, type WorkerExit } from '../../../contract/systemLines.ts';
import type { LogEvent } from '../../../contract/workerLogs.ts';
import { withoutControlSequences } from '../../../vscode/text/controlSequences.ts';
import { withinBounds } from '../../boundedLogLine.ts';

/* What a worker's log says about why it does not run. */

export type LogFinding =
  | {
      readonly kind: 'crash';
      /** Undefined if the platform does not say how it ended. */
      readonly exit: WorkerExit | undefined;
      /** How often it is seen to have ended. */
      readonly times: number;
      /** What it wrote before its last end. */
      readonly lastLines: readonly string[];
    }
  | { readonly kind: 'notStarted'; readonly reason: string }
  | { readonly kind: 'imageUnavailable'; readonly reason: string }
  | { readonly kind: 'notReady'; readonly reason: string };

/** A host that starts it that often without a word about its end has it in a loop. */
const LOOP_STARTS = 3;
const LAST_LINES = 20;

/** A line of the log. */
interface Entry {
  readonly text: string;
  readonly isSystem: boolean;
  /** What a system line says. */
  readonly said: ReadLine | undefined;
}

/**
 * The reason why a worker does not work, from the newest lines of its log, oldest first; undefined when they hold none, or it has
 * been ready since.
 */
export function findReason(seen: readonly LogEvent[]): LogFinding | undefined {
  const entries = seen.map(entryOf);
  const readyAt = entries.findLastIndex(({ said }) => said?.kind === 'ready');
  const since = entries.slice(readyAt + 1);
  const pull = lastOf(since, 'imageUnavailable');
  if (pull) return { kind: 'imageUnavailable', reason: pull.reason };
  const notStarted = lastOf(since, 'notStarted');
  if (notStarted) return { kind: 'notStarted', reason: notStarted.reason };
  // Ends before it was ready the last time count too: they say whether this is a loop.
  const ends = indexesOf(entries, ({ said }) => exitOf(said) !== undefined);
  const lastEnd = ends.at(-1);
  if (lastEnd !== undefined && lastEnd > readyAt) {
    const exit = exitOf(entries[lastEnd]?.said);
    return { kind: 'crash', exit, times: ends.length, lastLines: linesBefore(entries, lastEnd) };
  }
  const starts = indexesOf(since, ({ said }) => said?.kind === 'starting' || said?.kind === 'containerStarting');
  if (starts.length >= LOOP_STARTS) {
    const lastLines = linesBefore(since, starts.at(-1) ?? 0);
    return { kind: 'crash', exit: undefined, times: starts.length - 1, lastLines };
  }
  const notReady = lastOf(since, 'notReady');
  return notReady && { kind: 'notReady', reason: notReady.reason };
}

function entryOf(event: LogEvent): Entry {
  const text = plain(withinBounds(event).line);
  const isSystem = event.source === 'system';
  return { text, isSystem, said: isSystem ? readSystemLine(text) : undefined };
}

type Reason = Extract<ReadLine, { readonly kind: 'imageUnavailable' | 'notStarted' | 'notReady' }>;

/** The last line of a kind that has a reason. */
function lastOf(entries: readonly Entry[], kind: Reason['kind']): Reason | undefined {
  return entries.map(({ said }) => said).findLast((said): said is Reason => said?.kind === kind);
}

function indexesOf(entries: readonly Entry[], matches: (entry: Entry) => boolean): number[] {
  return entries.flatMap((entry, index) => (matches(entry) ? [index] : []));
}

/**
 * What the worker itself wrote the last time before that line, as far as its host did not interrupt; where it wrote nothing, the lines
 * that the host repeats after it.
 */
function linesBefore(entries: readonly Entry[], index: number): string[] {
  const before = entries.slice(0, index);
  const end = before.findLastIndex(({ isSystem }) => !isSystem) + 1;
  const start = before.slice(0, end).findLastIndex(({ isSystem }) => isSystem) + 1;
  const own = before.slice(start, end).filter(({ text }) => text.trim() !== '');
  const lines = own.length > 0 ? own : entries.slice(index + 1).filter(({ said }) => said?.kind === 'output');
  return lines.slice(-LAST_LINES).map(({ text }) => text);
}

/** The line without control sequences, such as colors, and without trailing white space. */
function plain(line: string): string {
  return withoutControlSequences(line).trimEnd();
}
