import type { HttpFile, ParsedBlock } from './httpFile.ts';
import { isSeparator, lineEndAt, lineStartAt } from './lineSyntax.ts';
import type { Span } from '../../../text/span.ts';

/** The syntax at the cursor. */
export type Place =
  /** Between `{{` and `}}`, or after `{{`. The span is the content. */
  | (Span & { readonly kind: 'variable'; readonly typed: string; readonly isClosed: boolean })
  | (Span & { readonly kind: 'method'; readonly typed: string })
  /** The part of a URL after the endpoint. */
  | (Span & { readonly kind: 'path'; readonly typed: string; readonly block: ParsedBlock })
  | (Span & {
      readonly kind: 'headerName';
      readonly typed: string;
      readonly hasColon: boolean;
      readonly block: ParsedBlock;
    })
  | (Span & { readonly kind: 'headerValue'; readonly name: string; readonly typed: string });

/** Returns the syntax at an offset, or undefined in a body and in a comment. Tolerates unfinished lines. */
export function placeAt(file: HttpFile, offset: number): Place | undefined {
  const { text } = file;
  const lineStart = lineStartAt(text, offset);
  const lineEnd = lineEndAt(text, offset);
  const before = text.slice(lineStart, offset);
  const line = text.slice(lineStart, lineEnd);
  const variable = variableAt(before, line, lineStart);
  if (variable) return variable;
  if (isSeparator(line) || /^\s*(?:#|\/\/|@)/.test(line)) return undefined;
  const block = blockOfLine(file, lineStart);
  if (!block || lineStart < block.requestLine.start) return methodAt(before, line, lineStart);
  if (lineStart === block.requestLine.start)
    return methodAt(before, line, lineStart) ?? pathAt(block, before, lineStart);
  // An empty line ends the headers.
  if (/(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)/.test(text.slice(block.requestLine.end, lineStart))) return undefined;
  return headerAt(block, before, line, lineStart);
}

function variableAt(before: string, line: string, lineStart: number): Place | undefined {
  const open = before.lastIndexOf('{{');
  if (open === -1 || before.includes('}', open)) return undefined;
  const rest = line.slice(before.length);
  const [tail = ''] = /^[^{}]*(?=\}\})/.exec(rest) ?? [];
  const isClosed = /^[^{}]*\}\}/.test(rest);
  const inner = before.slice(open + 2);
  const typed = inner.trimStart();
  const start = lineStart + before.length - typed.length;
  return { kind: 'variable', typed, isClosed, start, end: lineStart + before.length + tail.trimEnd().length };
}

function methodAt(before: string, line: string, lineStart: number): Place | undefined {
  if (!/^\s*[A-Za-z]*$/.test(before)) return undefined;
  const typed = before.trimStart();
  const [rest = ''] = /^[A-Za-z]*/.exec(line.slice(before.length)) ?? [];
  const start = lineStart + before.length - typed.length;
  return { kind: 'method', typed, start, end: lineStart + before.length + rest.length };
}

function pathAt(block: ParsedBlock, before: string, lineStart: number): Place | undefined {
  const url = /^\s*(?:[A-Za-z]+\s+)?(?=[{/])(?:\{\{[^{}]*\}\})?(\/[^\s?#{}]*)?$/.exec(before);
  if (!url) return undefined;
  const typed = url[1] ?? '';
  const end = lineStart + before.length;
  return { kind: 'path', typed, block, start: end - typed.length, end };
}

function headerAt(block: ParsedBlock, before: string, line: string, lineStart: number): Place | undefined {
  const colon = before.indexOf(':');
  const end = lineStart + before.length;
  if (colon === -1) {
    const typed = before.trimStart();
    const [rest = ''] = /^[\w-]*/.exec(line.slice(before.length)) ?? [];
    const hasColon = line
      .slice(before.length + rest.length)
      .trimStart()
      .startsWith(':');
    return { kind: 'headerName', typed, hasColon, block, start: end - typed.length, end: end + rest.length };
  }
  const typed = before.slice(colon + 1).trimStart();
  const rest = line.slice(before.length).trimEnd();
  return {
    kind: 'headerValue',
    name: before.slice(0, colon).trim(),
    typed,
    start: end - typed.length,
    end: end + rest.length,
  };
}

/** Returns the request whose section contains a line. */
function blockOfLine({ text, blocks }: HttpFile, lineStart: number): ParsedBlock | undefined {
  const block = blocks.findLast(({ start }) => start <= lineStart);
  if (!block) return undefined;
  // A later section can have no request yet.
  const between = text.slice(block.requestLine.end, lineStart);
  return /[\r\n]###/.test(between) ? undefined : block;
}
