import { createScanner } from 'jsonc-parser';
import { Lexer } from 'yaml';
import type { Span } from './node.ts';
import type { ManifestLanguage } from './parsed.ts';

/** Returns a text without its comments. Lines that contain only a comment are removed. */
export function withoutComments(text: string, language: ManifestLanguage): string {
  const comments = language === 'json' ? jsonComments(text) : yamlComments(text);
  let result = '';
  let end = 0;
  for (const comment of comments) {
    const removed = extended(text, comment);
    if (removed.start < end) continue;
    result += text.slice(end, removed.start);
    end = removed.end;
  }
  return result + text.slice(end);
}

/** Marks of the YAML lexer that are not part of the text. A scalar follows the mark of scalars. */
const SCALAR_MARK = '\x1f';
const MARKS: readonly string[] = ['\x02', '\x18', SCALAR_MARK];

function yamlComments(text: string): readonly Span[] {
  const comments: Span[] = [];
  let start = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (MARKS.includes(token)) {
      isScalar = token === SCALAR_MARK;
      continue;
    }
    // A block scalar can start with "#".
    if (!isScalar && token.startsWith('#')) comments.push({ start, end: start + token.length });
    isScalar = false;
    start += token.length;
  }
  return comments;
}

/** Kinds of tokens of the scanner, which are a const enum. */
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const END = 17;

function jsonComments(text: string): readonly Span[] {
  const scanner = createScanner(text.replace(/^\uFEFF/, ' '), false);
  const comments: Span[] = [];
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    const start = scanner.getTokenOffset();
    if (kind === LINE_COMMENT || kind === BLOCK_COMMENT)
      comments.push({ start, end: start + scanner.getTokenLength() });
  }
  return comments;
}

/** Extends a comment to its line if the line has nothing else, and otherwise to the blanks before it. */
function extended(text: string, { start, end }: Span): Span {
  let lineStart = start;
  while (isBlank(text[lineStart - 1])) lineStart--;
  let lineEnd = end;
  while (isBlank(text[lineEnd])) lineEnd++;
  const lineBreak = text.startsWith('\r\n', lineEnd) ? 2 : text[lineEnd] === '\n' ? 1 : 0;
  const isLast = lineBreak > 0 || lineEnd >= text.length;
  const isFirst = lineStart === 0 || text[lineStart - 1] === '\n';
  if (isFirst && isLast) return { start: lineStart, end: lineEnd + lineBreak };
  return { start: isLast ? lineStart : start, end };
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
