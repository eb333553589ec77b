import * as z from 'zod';
import { parseJson } from '../../../contract/parsedJson.ts';
import type { LogEvent } from '../../../contract/workerLogs.ts';
import { shortRequestId } from '../../../text/ids.ts';
import { oneLine } from '../../../text/shownText.ts';
import { withinBounds } from '../../../account/endpoints/boundedLogLine.ts';
import { readAnsi, type AnsiText, type ColorSpan } from './ansi.ts';
import { levelInText, levelOfName, levelOfNumber, type LogLevel } from './logLevel.ts';
import { exitOf, readSystemLine } from '../../../contract/systemLines.ts';

/** A line of a log, ready to be shown. */
export interface ReadLogLine {
  /** Safe to show. It contains no control sequences. A message of the worker SDK can have several lines. */
  readonly text: string;
  /** Colors of the text. */
  readonly spans: readonly ColorSpan[];
  /** Undefined if the line names none, as most continuation lines do. */
  readonly level: LogLevel | undefined;
  /** ID of the job that the worker SDK names, as the worker wrote it. */
  readonly requestId: string | undefined;
  /** Whether the host wrote the line, and not the worker's program. */
  readonly isSystem: boolean;
}

/** Reads the line of an event. Cuts a line that is too long, and unpacks the JSON of the worker SDK. */
export function readLogLine(event: LogEvent): ReadLogLine {
  const { line, source } = withinBounds(event);
  const read = readAnsi(line);
  const { text } = read;
  if (source === 'system') return { ...read, level: levelOfSystemLine(text), requestId: undefined, isSystem: true };
  if (source !== 'container') return ofOtherSource(read, source);
  if (text.startsWith('{') && text.endsWith('}')) return ofJson(read);
  return { text, spans: read.spans, level: levelInText(text), requestId: undefined, isSystem: false };
}

/** Names a source that is not part of the documented interface. */
function ofOtherSource(read: AnsiText, source: string): ReadLogLine {
  const level = levelInText(read.text);
  return { ...after(`[${oneLine(source)}] `, read), level, requestId: undefined, isSystem: false };
}

/** A log line of the worker SDK. JSON with any other member is application output and is shown unchanged. */
const SdkEntry = z.strictObject({
  requestId: z.string().nullish(),
  message: z.string(),
  level: z.string().regex(/^[A-Za-z]{1,12}$/),
});

const Level = z.union([z.string(), z.number()]).optional();
/** A log line of a program. Programs use these names, and other members have no effect. */
const ProgramEntry = z
  .object({ level: Level, severity: Level, lvl: Level, message: z.unknown().optional(), msg: z.unknown().optional() })
  .refine(({ message, msg }) => message !== undefined || msg !== undefined);

function ofJson(read: AnsiText): ReadLogLine {
  const json = parseJson(read.text);
  const sdk = SdkEntry.safeParse(json).data;
  if (!sdk) return { ...read, level: levelOfProgram(json), requestId: undefined, isSystem: false };
  const { level, message } = sdk;
  const requestId = sdk.requestId ?? undefined;
  const job = requestId === undefined ? '' : `[${oneLine(shortRequestId(requestId))}] `;
  return {
    ...after(`${level.padEnd(5)} ${job}`, readAnsi(message)),
    level: levelOfName(level),
    requestId,
    isSystem: false,
  };
}

function levelOfProgram(json: unknown): LogLevel | undefined {
  const entry = ProgramEntry.safeParse(json).data;
  const level = entry?.level ?? entry?.severity ?? entry?.lvl;
  if (typeof level === 'number') return levelOfNumber(level);
  return typeof level === 'string' ? levelOfName(level) : undefined;
}

/** Returns the text with a prefix, and moves the spans accordingly. */
function after(prefix: string, { text, spans }: AnsiText): AnsiText {
  const by = prefix.length;
  return {
    text: prefix + text,
    spans: spans.map(({ start, end, color }) => ({ start: start + by, end: end + by, color })),
  };
}

/** Returns the level of a line about the life cycle of a worker. */
function levelOfSystemLine(line: string): LogLevel {
  const said = readSystemLine(line);
  switch (said?.kind) {
    case undefined:
      return levelInText(line) ?? 'info';
    case 'failed':
    case 'failedSilently':
    case 'notStarted':
    case 'notStartedBecause':
    case 'engineUnreachable':
    case 'imageUnavailable':
    case 'unhealthy':
    // Repeats the output of a failed process.
    case 'output':
      return 'error';
    case 'ended': {
      const exit = exitOf(said);
      return exit?.outOfMemory || exit?.outOfDisk || (exit?.code ?? 0) !== 0 ? 'error' : 'info';
    }
    case 'notReady':
    case 'slowStart':
    case 'stillStarting':
    case 'waitingForSlot':
    case 'waitingForPlace':
    case 'waitingForGpus':
    case 'sharedState':
    case 'requestFailed':
    case 'reportLeftOut':
    case 'webhookFailed':
    case 'linesLost':
    case 'linesDropped':
      return 'warn';
    default:
      return 'info';
  }
}
