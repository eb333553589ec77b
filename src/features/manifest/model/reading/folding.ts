import { LineCounter } from 'yaml';
import { createScanner } from 'jsonc-parser';
import { extentOf, memberExtent, partExtent } from '../text/locate.ts';
import type { ManifestNode, ParsedFile } from '../text/node.ts';

type LineOf = ReturnType<typeof linesOf>;

/** Lines that can be folded. The first line stays visible. */
export interface Fold {
  readonly startLine: number;
  readonly endLine: number;
  readonly isComment: boolean;
}

/* The package declares its token kinds as a const enum, which has no value at runtime. */
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const END_OF_FILE = 17;

/** Returns the foldable lines: maps, lists, long strings, comments, and the endpoints of a file with several. */
export function folds({ text, language, parts }: ParsedFile): Fold[] {
  const lineOf = linesOf(text);
  /** The outermost fold of each first line. An editor shows one fold per line. */
  const found = new Map<number, Fold>();
  const add = (startLine: number, endLine: number, isComment = false): void => {
    if (endLine > startLine && !found.has(startLine)) found.set(startLine, { startLine, endLine, isComment });
  };
  /** Lines that are in a scalar, after its first line. */
  const inScalars = new Set<number>();

  const visit = (node: ManifestNode, startLine: number): void => {
    const { start, end } = extentOf(node, text);
    const last = lineOf(Math.max(start, end - 1));
    // The line of a closing bracket stays visible.
    const isClosed = node.kind !== 'scalar' && node.flow && end > start + 1 && /[\]}]/.test(text[end - 1] ?? '');
    add(startLine, isClosed ? last - 1 : last);
    if (node.alias) return;
    if (node.kind === 'scalar') for (let line = lineOf(start) + 1; line <= last; line++) inScalars.add(line);
    if (node.kind === 'list') for (const item of node.items) visit(item, lineOf(item.start));
    if (node.kind !== 'map') return;
    for (const member of node.members) {
      const line = lineOf(memberExtent(member, text).start);
      // A value that is not after its key is the content of an anchor.
      if (member.value.start >= member.keySpan.end) visit(member.value, line);
    }
  };

  let before = 0;
  for (const part of parts) {
    const { start, end } = partExtent(part, text);
    if (parts.length > 1) {
      const marker = [...text.slice(before, start).matchAll(/^---(?=\s)/gm)].at(-1);
      add(lineOf(marker ? before + marker.index : start), lineOf(Math.max(start, end - 1)));
    }
    before = end;
    if (part.root) visit(part.root, part.root.kind === 'scalar' || part.root.flow ? lineOf(part.root.start) : -1);
  }
  // A map without brackets is the whole document, which has no line of its own.
  found.delete(-1);

  const comments = language === 'json' ? jsonComments(text, lineOf) : yamlComments(text, lineOf, inScalars);
  for (const { startLine, endLine } of comments) add(startLine, endLine, true);
  return [...found.values()].sort((a, b) => a.startLine - b.startLine);
}

/** Returns a function that finds the line of an offset. Lines are numbered from 0, and end with `\n`, `\r\n`, or `\r`. */
export function linesOf(text: string): (offset: number) => number {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n?|\n/g)) lines.addNewLine(index + lineBreak.length);
  return (offset) => lines.linePos(offset).line - 1;
}

interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
}

/** Returns each group of comment lines without other lines between them. */
function yamlComments(text: string, lineOf: LineOf, inScalars: ReadonlySet<number>): LineRange[] {
  const commented = [...text.matchAll(/^[ \t\uFEFF]*#/gm)].map(({ index }) => lineOf(index));
  return groups(commented.filter((line) => !inScalars.has(line)).map((line) => ({ startLine: line, endLine: line })));
}

function jsonComments(text: string, lineOf: LineOf): LineRange[] {
  const scanner = createScanner(text, false);
  const comments: LineRange[] = [];
  for (let kind: number = scanner.scan(); kind !== END_OF_FILE; kind = scanner.scan()) {
    if (kind !== LINE_COMMENT && kind !== BLOCK_COMMENT) continue;
    const start = scanner.getTokenOffset();
    const startLine = lineOf(start);
    const lead = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
    // A comment after a value belongs to the line of the value.
    if (lead.trim() !== '') continue;
    comments.push({ startLine, endLine: lineOf(start + scanner.getTokenLength() - 1) });
  }
  return groups(comments);
}

/** Joins ranges of adjacent lines. */
function groups(ranges: readonly LineRange[]): LineRange[] {
  const joined: LineRange[] = [];
  for (const { startLine, endLine } of ranges) {
    const last = joined.at(-1);
    if (last && startLine <= last.endLine + 1) joined[joined.length - 1] = { startLine: last.startLine, endLine };
    else joined.push({ startLine, endLine });
  }
  return joined;
}
