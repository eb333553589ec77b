import type { LogEvent } from '../../contract/workerLogs.ts';
import { readAnsi } from './model/ansi.ts';
import { describeFollowState, type FollowState } from './model/followState.ts';
import { LineText } from './model/lineText.ts';
import { readLogLine, shortRequestId } from './model/readLogLine.ts';

export { shortRequestId };
export type { FollowState };

/** Formats log events as the text of one channel. Each line starts with a local time, and a heading shows each new date. */
export class LogText {
  readonly #text: LineText;

  /** @param timeZone the machine's time zone by default */
  constructor(timeZone?: string) {
    this.#text = new LineText({ timestamps: 'local', timeZone });
  }

  /** Formats one event, with a line break at the end. Cuts a line that is too long. */
  event(event: LogEvent): string {
    return this.#text.line(readLogLine(event), Date.parse(event.ts)).text;
  }

  /** Formats one line about a change of the stream. @param now ms since the epoch */
  state(state: FollowState, now: number): string {
    return this.#text.note(describeFollowState(state), now).text;
  }
}

/** Removes terminal control sequences from a line and unpacks the JSON of the worker SDK. */
export function readable(line: string): string {
  return readLogLine({ line, source: 'container', ts: '' }).text;
}

/** Returns a line as a terminal would leave it: without escape sequences, and with only the last state of a progress bar. */
export function plainText(line: string): string {
  return readAnsi(line).text;
}
