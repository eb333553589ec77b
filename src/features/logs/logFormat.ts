import * as z from 'zod';
import type { ApiError } from '../../client/apiError.ts';
import { parseJson } from '../../client/apiError.ts';
import type { LogEvent } from '../../contract/workerLogs.ts';
import { withoutControlSequences } from '../../vscode/text/controlSequences.ts';
import { withinBounds } from './logLine.ts';

/** What happens to a followed stream, as a person is told. */
export type FollowState =
  | { readonly kind: 'connected' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'resumed' }
  /** There is no platform to ask: the local one does not run. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'refused'; readonly error: ApiError }
  | { readonly kind: 'stopped' };

/** Width of `10:42:05.123 `: continuation lines start there. */
const INDENT = ' '.repeat(13);

/**
 * Writes log events as the text of one channel: a short timestamp before each line, and the date where it changes.
 * Times are those of the person's clock.
 */
export class LogText {
  readonly #time: Intl.DateTimeFormat;
  readonly #date: Intl.DateTimeFormat;
  #day: string | undefined;

  /** @param timeZone that of the machine when absent */
  constructor(timeZone?: string) {
    const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 } as const;
    this.#time = new Intl.DateTimeFormat('en-GB', { ...clock, timeZone });
    // The Swedish way of writing a date is ISO 8601.
    this.#date = new Intl.DateTimeFormat('sv-SE', { timeZone });
  }

  /** The text of one event, with a line break at its end. A line that is too long is cut. */
  event(event: LogEvent): string {
    const { ts, source, line } = withinBounds(event);
    const text = readable(line);
    return this.#stamped(Date.parse(ts), source === 'container' ? text : `[${source}] ${text}`);
  }

  /** The one line that says what happened to the stream. @param now ms since the epoch */
  state(state: FollowState, now: number): string {
    return this.#stamped(now, `[following] ${describe(state)}`);
  }

  #stamped(time: number, text: string): string {
    const body = `${text.replaceAll('\n', `\n${INDENT}`)}\n`;
    // A timestamp that cannot be read must not cost the line.
    if (Number.isNaN(time)) return `${INDENT}${body}`;
    const day = this.#date.format(time);
    const heading = day === this.#day ? '' : `${day}\n`;
    this.#day = day;
    return `${heading}${this.#time.format(time)} ${body}`;
  }
}

/** A line without what only a terminal understands, and with the worker SDK's JSON unpacked. */
export function readable(line: string): string {
  const plain = plainText(line);
  const entry = sdkEntry(plain);
  if (!entry) return plain;
  const { level, requestId, message } = entry;
  const job = requestId == null ? '' : `[${shortRequestId(requestId)}] `;
  return `${level.padEnd(5)} ${job}${plainText(message)}`;
}

/** A line as a terminal leaves it: without escape sequences, and with the last state of a line that overwrites itself (a progress bar). */
export function plainText(line: string): string {
  return withoutControlSequences(line)
    .split(/\r?\n/)
    .map((part) => part.split('\r').findLast((state) => state.trim() !== '') ?? '')
    .join('\n')
    .replace(CONTROL_CHARACTERS, '')
    .trimEnd();
}

/** All but tab and line feed. */
const CONTROL_CHARACTERS = /(?![\t\n])\p{Cc}/gu;

/** A line of the worker SDK. Any other member makes it somebody's own JSON, which is shown whole. */
const SdkEntry = z.strictObject({ requestId: z.string().nullish(), message: z.string(), level: z.string() });

function sdkEntry(line: string): z.infer<typeof SdkEntry> | undefined {
  if (!line.startsWith('{')) return undefined;
  return SdkEntry.safeParse(parseJson(line)).data;
}

/** Enough of a job's id to tell jobs apart: `sync-0b9f3c1e-…-u1` is `0b9f3c1e`. */
export function shortRequestId(id: string): string {
  return id.replace(/^sync-/, '').slice(0, 8);
}

/** What to do about a refusal that ends following, by its kind. */
const ADVICE: Partial<Record<ApiError['kind'], string>> = {
  unauthorized: 'Connect again with a valid key, then show the logs again.',
  forbidden: 'The key needs access to this endpoint.',
  notFound: 'The worker is gone; what it wrote is above.',
};

function describe(state: FollowState): string {
  switch (state.kind) {
    case 'connected':
      return 'connected';
    case 'lost':
      return 'connection lost, reconnecting…';
    case 'resumed':
      return 'connected again, going on after the last line';
    case 'suspended':
      return 'the platform stopped; going on when it runs again';
    case 'stopped':
      return 'stopped; show the logs again to go on after the last line';
    case 'refused': {
      const { kind, message } = state.error;
      return `ended: ${message}. ${ADVICE[kind] ?? 'Show the logs again to retry.'}`;
    }
  }
}
