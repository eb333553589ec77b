import { EXPECT_DIRECTIVE } from '../../manifest/model/testFiles.ts';
import type { FileVariable, Piece, HttpMethod } from './httpFile.ts';
import type { Span } from '../../../text/span.ts';
import { ROUTE_METHODS } from '../../../contract/route.ts';
import type { ProblemList } from './problem.ts';

export interface Line extends Span {
  readonly text: string;
  /** Offset of the next line. Equals the end of the text in the last line. */
  readonly next: number;
}

/** Reads a text line by line. Keeps one line at a time, because a text can have a million of them. */
export class LineCursor {
  readonly #text: string;
  readonly #lineBreak = /\r\n|\n|\r/g;
  #offset = 0;
  #current: Line | undefined;

  constructor(text: string) {
    this.#text = text;
    this.advance();
  }

  /** The current line. Undefined after the last one. */
  get line(): Line | undefined {
    return this.#current;
  }

  advance(): void {
    const start = this.#offset;
    if (start > this.#text.length) {
      this.#current = undefined;
      return;
    }
    this.#lineBreak.lastIndex = start;
    const found = this.#lineBreak.exec(this.#text);
    const end = found?.index ?? this.#text.length;
    const next = found ? end + found[0].length : end;
    this.#current = { start, end, next, text: this.#text.slice(start, end) };
    this.#offset = found ? next : this.#text.length + 1;
  }
}

/* The syntax of single lines. */

/** Name of a header, and of a variable. */
const TOKEN = /^[!#$%&'*+\-.^_`|~\w]+$/;
const VARIABLE_NAME = /^[\p{L}\p{N}_.-]+$/u;

/** Returns the start of the line at an offset. */
export function lineStartAt(text: string, offset: number): number {
  // `lastIndexOf` treats a negative position as 0.
  return offset === 0 ? 0 : Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
}

/** Returns the end of the line at an offset. */
export function lineEndAt(text: string, offset: number): number {
  const length = text.slice(offset).search(/[\r\n]/);
  return length === -1 ? text.length : offset + length;
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

export function isSeparator(text: string): boolean {
  return text.startsWith('###');
}

/** Returns the name after a separator, or undefined. */
export function separatorName(text: string): string | undefined {
  return text.replace(/^#+/, '').trim() || undefined;
}

export function isComment(text: string): boolean {
  const line = text.trimStart();
  return line.startsWith('#') || line.startsWith('//');
}

/** Returns the name in a comment such as `# @name login`, or undefined. */
export function nameDirective(text: string): string | undefined {
  const words = text
    .trim()
    .replace(/^(?:#+|\/\/+)/, '')
    .trim();
  if (!/^@name(?=[\s=])/.test(words)) return undefined;
  return words.slice('@name'.length).trim().replace(/^=/, '').trim() || undefined;
}

/** Returns what follows `@expect` in a comment such as `# @expect status 200`, or undefined. */
export function expectDirective({ text, start }: Pick<Line, 'text' | 'start'>): Piece | undefined {
  const [head] = EXPECT_DIRECTIVE.exec(text) ?? [];
  if (head === undefined) return undefined;
  const rest = text.slice(head.length);
  return { text: rest.trim(), start: start + head.length + (rest.length - rest.trimStart().length) };
}

/** Returns whether a line continues the URL of the line before. */
export function isContinuation(text: string): boolean {
  return /^[?&]/.test(text.trimStart());
}

export function isHeaderName(text: string): boolean {
  return TOKEN.test(text);
}

/** Returns the definition in a line that begins with `@`, or undefined if it is invalid. */
export function variableIn({ text, start, end }: Line): FileVariable | undefined {
  const at = text.indexOf('@');
  const equals = text.indexOf('=', at);
  if (equals === -1) return undefined;
  const name = text.slice(at + 1, equals).trim();
  if (!VARIABLE_NAME.test(name)) return undefined;
  const nameStart = start + text.indexOf(name, at + 1);
  const value = text.slice(equals + 1).trim();
  const valueStart = value === '' ? end : start + text.indexOf(value, equals + 1);
  return {
    ...{ name, start: start + at, end: start + text.trimEnd().length },
    nameSpan: { start: nameStart, end: nameStart + name.length },
    value: { text: value, start: valueStart },
  };
}

/** Returns the span of a line without the space around its text. */
export function trimmed({ text, start }: Pick<Line, 'text' | 'start'>): Span {
  const content = text.trim();
  const contentStart = start + (content === '' ? 0 : text.indexOf(content));
  return { start: contentStart, end: contentStart + content.length };
}

/** A line that editors of JetBrains process before or after a request. */
export type Handler = 'script' | 'scriptFile' | 'output';

/** Returns the kind of a handler line, such as `> {% … %}`, `> ./check.js`, or `>> response.json`. */
export function handlerIn(text: string, isBeforeRequest: boolean): Handler | undefined {
  const line = text.trim();
  if (/^[<>]\s*\{%/.test(line)) return 'script';
  if (/^(?:>>!?|<>)\s/.test(line)) return 'output';
  if (/^>\s/.test(line) && /\.[cm]?[jt]s$/.test(line)) return 'scriptFile';
  return isBeforeRequest && /^<\s/.test(line) ? 'scriptFile' : undefined;
}

/** A line that names the file of a body. */
export interface FileReference {
  readonly path: Span & { readonly text: string };
  readonly isTemplate: boolean;
  /** Encoding after `<@`, or an empty string. */
  readonly encoding: string;
}

/** Returns the file in a line such as `< ./image.png` or `<@ ./template.json`, or undefined. */
export function fileReferenceIn({ text, start }: Pick<Line, 'text' | 'start'>): FileReference | undefined {
  const line = text.trim();
  const [head] = /^<(?:@[\w-]*)?(?=\s)/.exec(line) ?? [];
  if (head === undefined) return undefined;
  const path = line.slice(head.length).trim();
  const pathStart = start + text.lastIndexOf(path);
  return {
    path: { text: path, start: pathStart, end: pathStart + path.length },
    isTemplate: head.length > 1,
    encoding: head.slice(2),
  };
}

export const HTTP_METHODS: readonly HttpMethod[] = [...ROUTE_METHODS, 'WEBSOCKET'];

interface RequestLine {
  readonly method: HttpMethod;
  readonly methodSpan: Span | undefined;
  readonly url: Piece;
}

/** Reads a line such as `POST {{endpoint:hello}}/greet HTTP/1.1`. A line without a method is a GET request. */
export function readRequestLine({ text, start }: Line, problems: ProblemList): RequestLine {
  const indent = text.length - text.trimStart().length;
  const [name] = /^[A-Za-z]+(?=\s|$)/.exec(text.slice(indent)) ?? [];
  const method = HTTP_METHODS.find((one) => one === name?.toUpperCase());
  const methodSpan = name === undefined ? undefined : { start: start + indent, end: start + indent + name.length };
  const url = withoutVersion(text.slice(indent + (name?.length ?? 0)));
  const urlStart = start + text.length - text.slice(indent + (name?.length ?? 0)).trimStart().length;
  if (methodSpan && name !== undefined && !method)
    problems.add('unknownMethod', methodSpan, { name, known: HTTP_METHODS });
  else if (methodSpan && url === '') problems.add('missingUrl', methodSpan, {});
  return {
    method: method ?? 'GET',
    methodSpan,
    url: { text: url, start: url === '' ? start + text.length : urlStart },
  };
}

function withoutVersion(text: string): string {
  const trimmed = text.trim();
  const lastSpace = Math.max(trimmed.lastIndexOf(' '), trimmed.lastIndexOf('\t'));
  return /^HTTP\/\d(?:\.\d)?$/i.test(trimmed.slice(lastSpace + 1))
    ? trimmed.slice(0, Math.max(lastSpace, 0)).trimEnd()
    : trimmed;
}
