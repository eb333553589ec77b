import { format } from 'jsonc-parser';
import type { TextChange } from './span.ts';
import type { Span } from './span.ts';

export interface JsonStyle {
  readonly tabSize: number;
  readonly insertSpaces: boolean;
  readonly eol: '\n' | '\r\n';
}

/** Returns the changes that format JSON with comments, also if it is incomplete. @param span part to format; default: all */
export function formatJson(text: string, style: JsonStyle, span?: Span): TextChange[] {
  const range = span && { offset: span.start, length: span.end - span.start };
  // Without the option, the formatter removes the last line end.
  const insertFinalNewline = /\n\s*$/.test(text);
  return format(text, range, { ...style, insertFinalNewline }).map(({ offset, length, content }) => ({
    start: offset,
    end: offset + length,
    text: content,
  }));
}
