import { withoutControls, CONTROL_SEQUENCE } from '../../../text/shownText.ts';
import type { Span } from '../../../text/span.ts';
import { DEFAULT_STYLE, shownColor, styleAfter, type AnsiColor } from './ansiColor.ts';

/** A part of a text with a color. It contains no line break. */
export interface Colored<Color extends string> extends Span {
  readonly color: Color;
}

export type ColorSpan = Colored<AnsiColor>;

/** Text without control sequences, control characters, and invisible characters. The spans are in order and do not overlap. */
export interface AnsiText {
  readonly text: string;
  readonly spans: readonly ColorSpan[];
}

/** Text that needs no change other than the removal of trailing white space. */
const PLAIN = /^[\t\x20-\x7e]*$/;
const NO_SPANS: readonly ColorSpan[] = [];

/**
 * Reads a line of terminal output. The text is what a terminal would show: its colors become spans, and a progress bar has its last state.
 * Colors end with the line. Takes linear time.
 */
export function readAnsi(line: string): AnsiText {
  if (PLAIN.test(line)) return { text: line.trimEnd(), spans: NO_SPANS };
  const screen = new Screen();
  let style = DEFAULT_STYLE;
  let at = 0;
  for (const { 0: sequence, index } of line.matchAll(CONTROL_SEQUENCE)) {
    screen.write(line.slice(at, index), shownColor(style));
    style = styleAfter(style, sequence);
    at = index + sequence.length;
  }
  screen.write(line.slice(at), shownColor(style));
  return screen.read();
}

/** Text in one color, without line breaks. */
interface Run {
  readonly text: string;
  readonly color: AnsiColor | undefined;
}

/** Collects the output of a line. A carriage return begins a new state of the line, and the last state that is not blank stays. */
class Screen {
  #text = '';
  readonly #spans: ColorSpan[] = [];
  #kept: readonly Run[] = [];
  #state: Run[] = [];

  write(text: string, color: AnsiColor | undefined): void {
    for (const part of text.split(/([\r\n])/)) {
      if (part === '\n') this.#endLine('\n');
      else if (part === '\r') this.#endState();
      else if (part !== '') this.#state.push({ text: visible(part), color });
    }
  }

  read(): AnsiText {
    this.#endLine('');
    const text = this.#text.trimEnd();
    const spans = this.#spans.filter(({ start }) => start < text.length);
    return { text, spans: spans.map((span) => (span.end > text.length ? { ...span, end: text.length } : span)) };
  }

  #endState(): void {
    if (this.#state.some(({ text }) => text.trim() !== '')) this.#kept = this.#state;
    this.#state = [];
  }

  #endLine(lineBreak: string): void {
    this.#endState();
    for (const run of this.#kept) this.#append(run);
    this.#kept = [];
    this.#text += lineBreak;
  }

  #append({ text, color }: Run): void {
    const start = this.#text.length;
    this.#text += text;
    const end = this.#text.length;
    if (color === undefined || end === start) return;
    const last = this.#spans.at(-1);
    if (last?.color === color && last.end === start) this.#spans[this.#spans.length - 1] = { ...last, end };
    else this.#spans.push({ start, end, color });
  }
}

/** Removes characters that are invisible or that move the text around them. Line and paragraph separators become spaces. */
function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return withoutControls(text)
    .replaceAll(/[\v\f]/g, '')
    .replaceAll(/[\u2028\u2029]/g, ' ');
}
