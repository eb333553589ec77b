import type { FileVariable, HttpFile, ParsedBlock, Piece, WrittenHeader } from './httpFile.ts';
import { MAX_HTTP_FILE } from '../../manifest/model/testFiles.ts';
import type { Span } from '../../../text/span.ts';
import { BodyReader } from './bodyReader.ts';
import { expectationIn, type ResponseExpectation } from './expectation.ts';
import {
  expectDirective,
  handlerIn,
  isBlank,
  isComment,
  isContinuation,
  isHeaderName,
  isSeparator,
  nameDirective,
  separatorName,
  trimmed,
  variableIn,
  LineCursor,
  type Handler,
  type Line,
  readRequestLine,
} from './lineSyntax.ts';
import { ProblemList } from './problem.ts';
import { unclosedReference } from './template.ts';

export type { HttpFile };

/** Maximum number of requests in a file. */
export const MAX_REQUESTS = 500;
/** Maximum number of headers of a request. */
export const MAX_HEADERS = 100;

/**
 * Parses the text of an HTTP file. Takes linear time and never throws. A line `###` begins a request, which consists of comments,
 * definitions of variables, the request line, headers, an empty line, and the body.
 */
export function parseHttpFile(text: string): HttpFile {
  if (text.length > MAX_HTTP_FILE) {
    const problems = new ProblemList();
    problems.add('tooLarge', { start: 0, end: Math.max(1, text.search(/[\r\n]/)) }, { max: MAX_HTTP_FILE });
    return { text, blocks: [], variables: [], problems: problems.problems };
  }
  return new HttpParser(text).parse();
}

/** The parts of a section that have been read. */
interface Section {
  name: string | undefined;
  readonly start: number;
  /** End of the last line that is not blank. */
  end: number;
  expect: ResponseExpectation | undefined;
}

class HttpParser {
  readonly #text: string;
  readonly #lines: LineCursor;
  readonly #problems = new ProblemList();
  readonly #blocks: ParsedBlock[] = [];
  readonly #variables = new Map<string, FileVariable>();
  readonly #definitions: FileVariable[] = [];
  #section: Section = { name: undefined, start: 0, end: 0, expect: undefined };

  constructor(text: string) {
    this.#text = text;
    this.#lines = new LineCursor(text);
  }

  parse(): HttpFile {
    for (let line = this.#lines.line; line; line = this.#lines.line) {
      this.#section = { name: undefined, start: line.start, end: line.end, expect: undefined };
      if (isSeparator(line.text)) {
        this.#section.name = separatorName(line.text);
        this.#lines.advance();
      }
      if (!this.#readSection()) break;
    }
    const problems = this.#problems.problems.sort((a, b) => a.start - b.start);
    return { text: this.#text, blocks: this.#blocks, variables: this.#definitions, problems };
  }

  /** Returns the current line unless it begins the next section. */
  get #line(): Line | undefined {
    const { line } = this.#lines;
    return line && !isSeparator(line.text) ? line : undefined;
  }

  #advance(): void {
    const { line } = this.#lines;
    if (line && !isBlank(line.text)) this.#section.end = line.end;
    this.#lines.advance();
  }

  /** Returns false if the limit of requests is reached. */
  #readSection(): boolean {
    const requestLine = this.#readPreamble();
    if (!requestLine) return true;
    if (this.#blocks.length === MAX_REQUESTS) {
      this.#problems.add('tooManyRequests', trimmed(requestLine), { max: MAX_REQUESTS });
      return false;
    }
    this.#readRequest(requestLine);
    return true;
  }

  /** Reads the lines before the request, and returns the line with the method and the URL. */
  #readPreamble(): Line | undefined {
    for (let line = this.#line; line; line = this.#line) {
      const { text } = line;
      const handler = handlerIn(text, true);
      if (handler) this.#skipHandler(handler);
      else if (isBlank(text)) this.#advance();
      else if (isComment(text)) {
        this.#section.name = nameDirective(text) ?? this.#section.name;
        this.#readExpectation(line);
        this.#advance();
      } else if (text.trimStart().startsWith('@')) {
        this.#define(line);
        this.#advance();
      } else return line;
    }
    return undefined;
  }

  #readExpectation(line: Line): void {
    const written = expectDirective(line);
    if (!written) return;
    const found = expectationIn(written.text);
    if (found) this.#section.expect = { ...this.#section.expect, ...found };
    else this.#problems.add('invalidExpectation', trimmed(line), {});
  }

  #define(line: Line): void {
    const variable = variableIn(line);
    if (!variable) {
      this.#problems.add('invalidVariable', trimmed(line), {});
      return;
    }
    const { name } = variable;
    const earlier = this.#variables.get(name);
    if (earlier) this.#problems.add('duplicateVariable', earlier.nameSpan, { name });
    this.#variables.set(name, variable);
    this.#definitions.push(variable);
    this.#checkReferences(variable.value);
  }

  #readRequest(requestLine: Line): void {
    const section = this.#section;
    const errors = this.#problems.errors;
    const { method, methodSpan, url } = readRequestLine(requestLine, this.#problems);
    this.#advance();
    const urlPieces = [url, ...this.#readContinuations()];
    for (const piece of urlPieces) this.#checkReferences(piece);
    const { headers, end: headersEnd } = this.#readHeaders();
    const { body, pieces: bodyPieces } = this.#readBody();
    this.#blocks.push({
      ...{ start: section.start, end: section.end, name: section.name },
      requestLine: { start: requestLine.start, end: requestLine.end },
      ...{ method, methodSpan, urlPieces, headers, headersEnd, body, bodyPieces, expect: section.expect },
      url: urlPieces.map(({ text }) => text).join(''),
      isValid: this.#problems.errors === errors,
    });
  }

  #readContinuations(): Piece[] {
    const pieces: Piece[] = [];
    for (let line = this.#line; line && isContinuation(line.text); line = this.#line) {
      const { start } = trimmed(line);
      pieces.push({ text: line.text.trim(), start });
      this.#advance();
    }
    return pieces;
  }

  /** Reads the headers and the empty line after them. */
  #readHeaders(): { readonly headers: readonly WrittenHeader[]; readonly end: number } {
    const headers: WrittenHeader[] = [];
    let end = this.#section.end;
    let count = 0;
    for (let line = this.#line; line && !isBlank(line.text); line = this.#line) {
      const handler = handlerIn(line.text, false);
      if (handler) {
        this.#skipHandler(handler);
        continue;
      }
      if (!isComment(line.text)) {
        count++;
        if (count === MAX_HEADERS + 1) this.#problems.add('tooManyHeaders', trimmed(line), { max: MAX_HEADERS });
        const header = count > MAX_HEADERS ? undefined : this.#headerIn(line);
        if (header) headers.push(header);
      }
      end = line.end;
      this.#advance();
    }
    return { headers, end };
  }

  #headerIn(line: Line): WrittenHeader | undefined {
    const { text } = line;
    const span = trimmed(line);
    const colon = text.indexOf(':');
    if (colon === -1) {
      this.#problems.add('invalidHeader', span, {});
      return undefined;
    }
    const nameSpan = trimmed({ text: text.slice(0, colon), start: line.start });
    const valueSpan = trimmed({ text: text.slice(colon + 1), start: line.start + colon + 1 });
    const name = text.slice(0, colon).trim();
    if (!isHeaderName(name)) {
      this.#problems.add('invalidHeaderName', name === '' ? span : nameSpan, { name });
      return undefined;
    }
    const value = text.slice(colon + 1).trim();
    this.#checkReferences({ text: value, start: valueSpan.start });
    return { ...span, name, value, nameSpan, valueSpan };
  }

  #readBody(): ReturnType<BodyReader['finish']> {
    const body = new BodyReader(this.#text, this.#problems);
    for (let line = this.#line; line; line = this.#line) {
      const handler = handlerIn(line.text, false);
      if (handler) {
        body.interrupt();
        this.#skipHandler(handler);
      } else {
        body.add(line);
        this.#advance();
      }
    }
    return body.finish();
  }

  /** Skips a script or another line that is not part of a request. A script ends with the line that contains `%}`. */
  #skipHandler(handler: Handler): void {
    const first = this.#line;
    if (!first) return;
    this.#problems.add('notRun', trimmed(first), { kind: handler === 'output' ? 'output' : 'script' });
    if (handler === 'script') this.#skipToScriptEnd(first);
    this.#advanceInSection();
  }

  #skipToScriptEnd(first: Line): void {
    for (let line = this.#line; !line?.text.includes('%}'); line = this.#line) {
      if (!line) {
        this.#problems.add('unclosedScript', trimmed(first), {});
        return;
      }
      this.#advance();
    }
  }

  /** Skips the current line unless it begins the next section. */
  #advanceInSection(): void {
    if (this.#line) this.#advance();
  }

  #checkReferences(piece: Piece): void {
    const unclosed: Span | undefined = unclosedReference(piece);
    if (unclosed) this.#problems.add('unclosedVariable', unclosed, {});
  }
}
