import { readAnsi, type Colored } from './ansi.ts';
import type { AnsiColor } from './ansiColor.ts';
import { LogClock, type TimestampMode } from './logClock.ts';
import type { ReadLogLine } from './readLogLine.ts';
import type { TagColor, WorkerTag } from './workerTag.ts';

export interface LineTextOptions {
  readonly timestamps: TimestampMode;
  /** Tag at the beginning of each line. Undefined in a log of one worker. */
  readonly prefix?: WorkerTag | undefined;
  /** Time zone of local times. Default: that of the machine. */
  readonly timeZone?: string | undefined;
}

/** Color of a part of a line: one that the worker's program chose, or that of the worker's tag. */
export type LineColor = AnsiColor | TagColor;

export type LineSpan = Colored<LineColor>;

/** A line of a log as the editor shows it. */
export interface TextLine {
  /** Ends with a line break. It can begin with a heading with the date, and contain continuation lines, which are indented. */
  readonly text: string;
  /** Colors of the text. */
  readonly spans: readonly LineSpan[];
}

/** Marks of the lines that the extension adds. */
export type NoteMark = 'following' | 'trouble';

/** A line without its beginning. */
type Body = Pick<TextLine, 'text' | 'spans'>;

/** Indent of continuation lines in a log without times. */
const LEAST_INDENT = 4;

/** Formats the lines of one log as text. Each line starts with its time, and a heading shows each new date. */
export class LineText {
  readonly #prefix: WorkerTag | undefined;
  readonly #clock: LogClock | undefined;
  /** Ends the time of a line. */
  readonly #zone: string;
  readonly #timeWidth: number;
  #day: string | undefined;

  constructor({ timestamps, prefix, timeZone }: LineTextOptions) {
    this.#prefix = prefix;
    this.#clock = timestamps === 'off' ? undefined : new LogClock(timestamps === 'utc' ? 'UTC' : timeZone);
    this.#zone = timestamps === 'utc' ? 'Z ' : ' ';
    this.#timeWidth = this.#clock ? '10:42:05.123'.length + this.#zone.length : 0;
  }

  /**
   * Formats a line of a worker.
   *
   * @param at ms since the epoch. Without a valid time, the line begins with spaces.
   * @param prefix tag of the worker, in a log of several workers
   */
  line(read: ReadLogLine, at: number, prefix = this.#prefix): TextLine {
    return this.#format(read.isSystem ? '[system] ' : '', read, at, prefix);
  }

  /** Formats a line that the extension adds. @param now ms since the epoch */
  note(text: string, now: number, mark: NoteMark = 'following', prefix = this.#prefix): TextLine {
    return this.#format(`[${mark}] `, { text: readAnsi(text).text, spans: [] }, now, prefix);
  }

  #format(mark: string, body: Body, at: number, tag: WorkerTag | undefined): TextLine {
    const time = this.#clock?.read(at);
    const stamp = time ? time.time + this.#zone : ' '.repeat(this.#timeWidth);
    const heading = time && time.day !== this.#day ? `${time.day}\n` : '';
    if (time) this.#day = time.day;
    const before = heading + stamp;
    const start = before + (tag ? `${tag.text} │ ` : '') + mark;
    const width = start.length - heading.length - mark.length;
    const tagSpan = tag && { start: before.length, end: before.length + tag.text.length, color: tag.color };
    const { text, spans } = indented(body, ' '.repeat(Math.max(width, LEAST_INDENT)));
    if (spans.length === 0) return { text: `${start}${text}\n`, spans: tagSpan ? [tagSpan] : [] };
    const moved = spans.map((span) => movedBy(span, start.length));
    return { text: `${start}${text}\n`, spans: tagSpan ? [tagSpan, ...moved] : moved };
  }
}

/** Indents the lines after the first, so that they cannot look like separate lines of the log. */
function indented(body: Body, indent: string): Body {
  if (!body.text.includes('\n')) return body;
  const text = body.text.replaceAll('\n', `\n${indent}`);
  const spans: LineSpan[] = [];
  let breaks = 0;
  let next = body.text.indexOf('\n');
  for (const span of body.spans) {
    while (next >= 0 && next < span.start) {
      breaks++;
      next = body.text.indexOf('\n', next + 1);
    }
    spans.push(movedBy(span, breaks * indent.length));
  }
  return { text, spans };
}

function movedBy({ start, end, color }: LineSpan, by: number): LineSpan {
  return { start: start + by, end: end + by, color };
}
