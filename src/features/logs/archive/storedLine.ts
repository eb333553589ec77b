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

const SECOND_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;
const FRACTION = /^\.(\d{3})\d*Z$/;
let lastSecond = { text: '', time: Number.NaN };

/** Parses a timestamp. Consecutive lines are often from the same second, whose time is then reused. */
function parseTime(ts: string): number {
  const fraction = FRACTION.exec(ts.slice(SECOND_LENGTH))?.[1];
  if (fraction === undefined) return Date.parse(ts);
  const text = ts.slice(0, SECOND_LENGTH);
  if (text !== lastSecond.text) lastSecond = { text, time: Date.parse(`${text}Z`) };
  return lastSecond.time + Number(fraction);
}
