import type { LogEvent } from '../../../contract/workerLogs.ts';
import { withoutControlSequences } from '../../../vscode/text/controlSequences.ts';
import { withinBounds } from '../../logs/logLine.ts';

/* What a worker's log says about why it does not run. Hosts word it differently: what is looked for is common to all. */

export type LogFinding =
  | {
      readonly kind: 'crash';
      /** As the host says it: `exit code 1`, `signal SIGKILL`. */
      readonly how: string;
      /** How often it is seen to have ended. */
      readonly times: number;
      /** What it wrote before its last end. */
      readonly lastLines: readonly string[];
    }
  | { readonly kind: 'notStarted'; readonly reason: string }
  | { readonly kind: 'imageUnavailable'; readonly reason: string }
  | { readonly kind: 'notReady'; readonly reason: string };

const READY = /\bworker is ready\b/i;
const EXIT_CODE = /\bexit(?:ed|s)?(?: with)?(?: status| code)?[ :=]+(\d+)\b/i;
const SIGNAL = /\bended by (SIG[A-Z0-9]+)/;
const OUT_OF_MEMORY = /\boom[- ]?killed\b|\bout of memory\b/i;
const NOT_STARTED = /\bcannot be started: (.+)$/i;
const NOT_READY = /\bworker is not ready: (.+)$/i;
/** Signs of a failed image pull. Each is one phrase, or two phrases in this order with any text between them. */
const PULL: readonly (readonly [RegExp, RegExp?])[] = [
  [/\bpull access denied\b/i],
  [/\bmanifest\b/i, /\b(?:unknown|not found)\b/i],
  [/\b(?:failed|error|unable)\b/i, /\bpull(?:ing)?\b/i],
  [/\bimage\b/i, /\b(?:not found|does not exist)\b/i],
  [/\brepository does not exist\b/i],
  [/\bauthentication required\b/i],
  [/\btoomanyrequests\b/i],
];
/** A host that starts it that often without a word about its end has it in a loop. */
const LOOP_STARTS = 3;
const LAST_LINES = 20;

/**
 * The reason why a worker does not work, from the newest lines of its log, oldest first; undefined when they hold none, or it has
 * been ready since.
 */
export function findReason(seen: readonly LogEvent[]): LogFinding | undefined {
  const events = seen.map(withinBounds);
  const readyAt = events.findLastIndex((event) => isSystem(event) && READY.test(event.line));
  const since = events.slice(readyAt + 1);
  const system = since.filter(isSystem).map(({ line }) => plain(line));
  const pull = system.findLast((line) => isAboutPulling(line));
  if (pull !== undefined) return { kind: 'imageUnavailable', reason: pull };
  const notStarted = system.findLast((line) => NOT_STARTED.test(line));
  if (notStarted !== undefined) return { kind: 'notStarted', reason: NOT_STARTED.exec(notStarted)?.[1] ?? notStarted };
  // Ends before it was ready the last time count too: they say whether this is a loop.
  const ends = events.flatMap((event, index) => (isSystem(event) && endOf(event.line) ? [index] : []));
  const lastEnd = ends.at(-1);
  if (lastEnd !== undefined && lastEnd > readyAt) {
    const how = endOf(events[lastEnd]?.line ?? '') ?? '';
    return { kind: 'crash', how, times: ends.length, lastLines: linesBefore(events, lastEnd) };
  }
  const starts = since.flatMap((event, index) => (isSystem(event) && isStart(event.line) ? [index] : []));
  if (starts.length >= LOOP_STARTS) {
    const lastLines = linesBefore(since, starts.at(-1) ?? 0);
    return { kind: 'crash', how: 'no exit code told', times: starts.length - 1, lastLines };
  }
  const notReady = system.findLast((line) => NOT_READY.test(line));
  return notReady === undefined ? undefined : { kind: 'notReady', reason: NOT_READY.exec(notReady)?.[1] ?? notReady };
}

function isSystem({ source }: LogEvent): boolean {
  return source === 'system';
}

/** Searches for each phrase once. A pattern with `.*` between the phrases would restart at each first phrase, in quadratic time. */
function isAboutPulling(line: string): boolean {
  return PULL.some(([first, second]) => {
    const found = first.exec(line);
    return found !== null && (second?.test(line.slice(found.index + found[0].length)) ?? true);
  });
}

/** Matches `start container …` and `start <name> (<image>)`. */
function isStart(line: string): boolean {
  if (/^start container\b/i.test(line)) return true;
  if (!/^start /i.test(line) || !line.endsWith(')')) return false;
  const lastWord = line.split(/\s/).at(-1) ?? '';
  const open = lastWord.indexOf('(');
  return open >= 0 && open < lastWord.length - 2;
}

/** How a line of the host says that the worker's process ended; undefined when it does not, or not as a failure. */
function endOf(line: string): string | undefined {
  const signal = SIGNAL.exec(line)?.[1];
  if (signal !== undefined) return `signal ${signal}`;
  const exit = EXIT_CODE.exec(line)?.[1];
  if (OUT_OF_MEMORY.test(line)) return exit === undefined ? 'out of memory' : `exit code ${exit}, out of memory`;
  return exit === undefined ? undefined : `exit code ${exit}`;
}

/**
 * What the worker itself wrote the last time before that line, as far as its host did not interrupt; where it wrote nothing, the lines
 * that the host repeats after it, which are indented.
 */
function linesBefore(events: readonly LogEvent[], index: number): string[] {
  const before = events.slice(0, index);
  const end = before.findLastIndex((event) => !isSystem(event)) + 1;
  const start = before.slice(0, end).findLastIndex(isSystem) + 1;
  const own = before.slice(start, end).filter(({ line }) => line.trim() !== '');
  const lines = own.length > 0 ? own : events.slice(index + 1).filter(({ line }) => /^\s{2,}\S/.test(line));
  return lines.slice(-LAST_LINES).map(({ line }) => plain(line));
}

/** The line without control sequences, such as colors, and without trailing white space. */
function plain(line: string): string {
  return withoutControlSequences(line).trimEnd();
}
