import * as z from 'zod';
import type { ApiError } from '../../client/apiError.ts';
import { parseJson } from '../../client/apiError.ts';
import type { LogEvent } from '../../contract/workerLogs.ts';
import { withoutControlSequences } from '../../vscode/text/controlSequences.ts';
import { withinBounds } from '../boundedLogLine.ts';

/** A change of a followed stream that the log shows. */
export type FollowState =
  | { readonly kind: 'connected' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'resumed' }
  /** The connection has no client, because the local platform is stopped. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'refused'; readonly error: ApiError }
  | { readonly kind: 'stopped' };

/** Indents continuation lines by the width of `10:42:05.123 `. */
const INDENT = ' '.repeat(13);

/**
 * Formats log events as the text of one channel. Each line starts with a local time, and a heading shows each new date.
 */
export class LogText {
  readonly #time: Intl.DateTimeFormat;
  readonly #date: Intl.DateTimeFormat;
  #day: string | undefined;

  /** @param timeZone the machine's time zone by default */
  constructor(timeZone?: string) {
    const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 } as const;
    this.#time = new Intl.DateTimeFormat('en-GB', { ...clock, timeZone });
    // The Swedish date format is ISO 8601.
    this.#date = new Intl.DateTimeFormat('sv-SE', { timeZone });
  }

  /** Formats one event, with a line break at the end. Cuts a line that is too long. */
  event(event: LogEvent): string {
    const { ts, source, line } = withinBounds(event);
    const text = readable(line);
    return this.#stamped(Date.parse(ts), source === 'container' ? text : `[${source}] ${text}`);
  }

  /** Formats one line about a change of the stream. @param now ms since the epoch */
  state(state: FollowState, now: number): string {
    return this.#stamped(now, `[following] ${describe(state)}`);
  }

  #stamped(time: number, text: string): string {
    const body = `${text.replaceAll('\n', `\n${INDENT}`)}\n`;
    // Keeps a line whose timestamp is invalid.
    if (Number.isNaN(time)) return `${INDENT}${body}`;
    const day = this.#date.format(time);
    const heading = day === this.#day ? '' : `${day}\n`;
    this.#day = day;
    return `${heading}${this.#time.format(time)} ${body}`;
  }
}

/** Removes terminal control sequences from a line and unpacks the JSON of the worker SDK. */
export function readable(line: string): string {
  const plain = plainText(line);
  const entry = sdkEntry(plain);
  if (!entry) return plain;
  const { level, requestId, message } = entry;
  const job = requestId == null ? '' : `[${shortRequestId(requestId)}] `;
  return `${level.padEnd(5)} ${job}${plainText(message)}`;
}

/** Returns a line as a terminal would leave it: without escape sequences, and with only the last state of a progress bar. */
export function plainText(line: string): string {
  return withoutControlSequences(line)
    .split(/\r?\n/)
    .map((part) => part.split('\r').findLast((state) => state.trim() !== '') ?? '')
    .join('\n')
    .replace(CONTROL_CHARACTERS, '')
    .trimEnd();
}

/** Control characters except tab and line feed. */
const CONTROL_CHARACTERS = /(?![\t\n])\p{Cc}/gu;

/** A log line of the worker SDK. JSON with any other member is application output and is shown unchanged. */
const SdkEntry = z.strictObject({ requestId: z.string().nullish(), message: z.string(), level: z.string() });

function sdkEntry(line: string): z.infer<typeof SdkEntry> | undefined {
  if (!line.startsWith('{')) return undefined;
  return SdkEntry.safeParse(parseJson(line)).data;
}

/** Returns the part of a job's ID that distinguishes jobs: `0b9f3c1e` for `sync-0b9f3c1e-…-u1`. */
export function shortRequestId(id: string): string {
  return id.replace(/^sync-/, '').slice(0, 8);
}

/** Remedies for the errors that end a stream, by kind of error. */
const ADVICE: Partial<Record<ApiError['kind'], string>> = {
  unauthorized: 'Connect again with a valid key, then show the logs again.',
  forbidden: 'The key needs access to this endpoint.',
  notFound: 'The worker no longer exists. Its log is above.',
};

function describe(state: FollowState): string {
  switch (state.kind) {
    case 'connected':
      return 'connected';
    case 'lost':
      return 'connection lost, reconnecting…';
    case 'resumed':
      return 'reconnected, continuing after the last line';
    case 'suspended':
      return 'the platform stopped; the log resumes when the platform restarts';
    case 'stopped':
      return 'stopped; show the logs again to continue after the last line';
    case 'refused': {
      const { kind, message } = state.error;
      return `ended: ${message}. ${ADVICE[kind] ?? 'Show the logs again to retry.'}`;
    }
  }
}
