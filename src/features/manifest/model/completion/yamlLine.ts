import type { Span } from '../../../../text/span.ts';

/* The parts of a line of YAML. All functions take linear time. */

/** Returns the line at an offset, without its line break. */
export function lineAt(text: string, start: number): Span {
  const end = text.indexOf('\n', start);
  return { start, end: end < 0 ? text.length : end };
}

/** Returns whether the line begins or ends a document. */
export function isDocumentMark(text: string, { start }: Span): boolean {
  return /^(?:---|\.\.\.)(?=\s|$)/.test(text.slice(start, start + 4));
}

/** Returns the first line with content after a line of the document. */
export function nextContent(
  text: string,
  line: Span,
): { readonly column: number; readonly kind: 'key' | 'item' } | undefined {
  for (let start = line.end + 1; start <= text.length;) {
    const next = lineAt(text, start);
    if (isDocumentMark(text, next)) return undefined;
    const content = contentOf(text, next);
    if (!isEmpty(text, content))
      return { column: content.start - next.start, kind: isDash(text, content) ? 'item' : 'key' };
    start = next.end + 1;
  }
  return undefined;
}

/** Returns the text of a line between its indentation and its trailing blanks. Empty for a blank line. */
export function contentOf(text: string, { start, end }: Span): Span {
  let first = start;
  while (first < end && isBlank(text, first)) first++;
  let last = end;
  while (last > first && isBlank(text, last - 1)) last--;
  return { start: first, end: last };
}

export function isDash(text: string, { start, end }: Span): boolean {
  return text.charAt(start) === '-' && (start + 1 === end || isBlank(text, start + 1));
}

/** Returns whether the content is missing or a comment. */
export function isEmpty(text: string, { start, end }: Span): boolean {
  return start >= end || text.charAt(start) === '#';
}

export interface Key extends Span {
  readonly name: string;
  readonly quote: '"' | "'" | undefined;
  /** Offset of the colon. */
  readonly colon: number;
}

/** Returns the key at the start of the content, if a colon follows it. */
export function keyOf(text: string, { start, end }: Span): Key | undefined {
  const content = text.slice(start, end);
  const quoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(content)?.[0];
  if (quoted === undefined && /^["'#&*!|>%@`[\]{},]/.test(content)) return undefined;
  const from = quoted?.length ?? 0;
  const colon = from + content.slice(from).search(/:(?=\s|$)/);
  const comment = content.search(/\s#/);
  if (colon < from || (comment >= 0 && comment < colon)) return undefined;
  const written = content.slice(0, colon).trimEnd();
  if (quoted !== undefined && written !== quoted) return undefined;
  return {
    name: quoted === undefined ? written : quoted.slice(1, -1),
    quote: quoted === undefined ? undefined : (quoted.charAt(0) as '"' | "'"),
    start,
    end: start + written.length,
    colon: start + colon,
  };
}

/** Returns the content after anchors and tags. */
export function withoutProperties(text: string, { start, end }: Span): Span {
  let from = start;
  for (;;) {
    const property = /^[&!][^\s]*(?:\s+|$)/.exec(text.slice(from, end))?.[0];
    if (property === undefined) return { start: from, end };
    from += property.length;
  }
}

/** Returns the plain scalar at the start of the content, without the comment after it. */
export function plainOf(text: string, { start, end }: Span): Span {
  const comment = text.slice(start, end).search(/\s#/);
  return comment < 0 ? { start, end } : contentOf(text, { start, end: start + comment });
}

function isBlank(text: string, at: number): boolean {
  const character = text.charAt(at);
  return character === ' ' || character === '\t' || character === '\r';
}
