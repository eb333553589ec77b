import { lineAt } from '../text/locate.ts';
import type { Span } from '../../../../text/span.ts';

export type Eol = '\n' | '\r\n';

export function eolOf(text: string): Eol {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Returns the offset of the first character of a line, after a byte order mark. */
export function lineStart(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return start === 0 && text.startsWith('\uFEFF') ? 1 : start;
}

/** Returns the offset of the line break, or of the end of the text. */
export function lineEnd(text: string, at: number): number {
  return lineAt(text, at).end;
}

/** Returns the offset of the next line, or of the end of the text. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

export function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

/** Returns the blanks at the start of a line. */
export function indentOf(text: string, at: number): string {
  const start = lineStart(text, at);
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? '';
}

/** Joins lines and indents all that are not empty. */
export function joined(lines: readonly string[], indent: string, eol: Eol): string {
  return lines.map((line) => (line === '' ? '' : indent + line)).join(eol);
}

/** Returns the end of a span without the blanks and line breaks at its end. Other white space is part of a YAML value. */
export function trimmedEnd(text: string, { start, end }: Span): number {
  let at = end;
  while (at > start && ' \t\r\n'.includes(text.charAt(at - 1))) at--;
  return at;
}
