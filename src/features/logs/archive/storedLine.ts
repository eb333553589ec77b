import * as z from 'zod';
import { parseJson } from '../../../contract/parsedJson.ts';
import { LogEvent } from '../../../contract/workerLogs.ts';

/* A line of an archive: the event's JSON as the platform sent it, after the event's ID if the ID is not the timestamp. */

/** A received line. */
export interface ReceivedLine {
  readonly event: LogEvent;
  /** ID of the event, or `''` if it has none. */
  readonly id: string;
  /** JSON of the event as it was received. */
  readonly data: string;
}

/** Encodes a line, with its line break. */
export function encodeLine({ event, id, data }: ReceivedLine): string {
  // JSON contains line breaks only between its tokens, and the parser of events passes each as a line feed.
  const json = data.includes('\n') ? data.replaceAll('\n', ' ') : data;
  return id === event.ts ? `${json}\n` : `${JSON.stringify(id)}\t${json}\n`;
}

/** Decodes a line without its line break. A damaged line becomes an empty system line, so that the numbers of the lines stay valid. */
export function decodeLine(line: string): ReceivedLine {
  const tab = line.startsWith('"') ? line.indexOf('\t') : -1;
  const data = line.slice(tab + 1);
  const event = LogEvent.safeParse(parseJson(data));
  if (!event.success) return { event: DAMAGED, id: '', data };
  const id =
    tab < 0
      ? event.data.ts
      : z
          .string()
          .catch('')
          .parse(parseJson(line.slice(0, tab)));
  return { event: event.data, id, data };
}

const DAMAGED: LogEvent = { source: 'system', line: '', ts: '' };

/** Returns the time of a line, which is never earlier than the time of the line before it. Times are in ms since the epoch. */
export function timeAfter(before: number, { ts }: LogEvent): number {
  const time = parseTime(ts);
  return time > before ? time : before;
}

const FRACTION_AT = 'YYYY-MM-DDTHH:MM:SS.'.length;
const MS_DIGITS = 3;
const ZERO = 0x30;
let lastSecond = { text: '', time: Number.NaN };

/** Parses a timestamp. Consecutive lines are often from the same second, whose time is then reused. */
function parseTime(ts: string): number {
  const ms = millisecondsOf(ts);
  if (ms === undefined) return Date.parse(ts);
  if (lastSecond.text === '' || !ts.startsWith(lastSecond.text)) {
    const text = ts.slice(0, FRACTION_AT - 1);
    lastSecond = { text, time: Date.parse(`${text}Z`) };
  }
  return lastSecond.time + ms;
}

/** Returns the milliseconds of a timestamp in UTC that has them; undefined for other ones. A regular expression would take ten times as long. */
function millisecondsOf(ts: string): number | undefined {
  const end = ts.length - 1;
  if (end < FRACTION_AT + MS_DIGITS || ts[FRACTION_AT - 1] !== '.' || ts[end] !== 'Z') return undefined;
  let ms = 0;
  for (let at = FRACTION_AT; at < end; at++) {
    const digit = ts.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    if (at < FRACTION_AT + MS_DIGITS) ms = 10 * ms + digit;
  }
  return ms;
}
