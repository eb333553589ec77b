import type { RouteMethod } from '../../../contract/route.ts';
import type { HttpProblem } from './problem.ts';
import type { Span } from '../../../text/span.ts';
import type { ResponseExpectation } from './expectation.ts';

/* The parts of an HTTP file: requests in the syntax of the REST Client and of JetBrains editors. */

export type HttpMethod = RouteMethod | 'WEBSOCKET';

export interface HttpHeader {
  readonly name: string;
  readonly value: string;
}

/** Body of a request: text, or the file that `< path` names, relative to the HTTP file. */
export type HttpBody =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** Set for `<@ path`, which replaces the variables in the file. */
      readonly isTemplate?: true;
    };

/** A request as it is written, with variables that are not resolved yet. */
export interface HttpBlock extends Span {
  /** Name after `###` or `# @name`. */
  readonly name: string | undefined;
  /** Span of the line with the method and the URL. */
  readonly requestLine: Span;
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: readonly HttpHeader[];
  readonly body: HttpBody | undefined;
  /** Expectations of its response. Undefined if the request is not a test. */
  readonly expect: ResponseExpectation | undefined;
}

/** A request whose variables are resolved, for one endpoint of the current connection. */
export interface ResolvedRequest {
  readonly name: string | undefined;
  readonly endpointId: string;
  readonly endpointName: string;
  /** Type of the endpoint. A queue endpoint answers only below its request address, such as `/openai/v1`. */
  readonly endpointType: 'QUEUE' | 'LOAD_BALANCER';
  readonly method: HttpMethod;
  /** Path with the query, below the base address of the endpoint. Starts with `/`. */
  readonly path: string;
  readonly headers: readonly HttpHeader[];
  readonly body: HttpBody | undefined;
}

/** A piece of text at its place in the file. */
export interface Piece {
  readonly text: string;
  readonly start: number;
}

/** A header line. */
export interface WrittenHeader extends HttpHeader, Span {
  readonly nameSpan: Span;
  readonly valueSpan: Span;
}

/** A request with the places of its parts. */
export interface ParsedBlock extends HttpBlock {
  readonly headers: readonly WrittenHeader[];
  /** Undefined if the line begins with the URL. */
  readonly methodSpan: Span | undefined;
  /** The URL. It has one piece for each line. */
  readonly urlPieces: readonly Piece[];
  /** The text of the body without comments, or the path of its file. */
  readonly bodyPieces: readonly Piece[];
  /** Offset after the headers, at which a header can be added. */
  readonly headersEnd: number;
  /** Whether the request has no error in its syntax. */
  readonly isValid: boolean;
}

/** A line such as `@name = value`. */
export interface FileVariable extends Span {
  readonly name: string;
  readonly nameSpan: Span;
  /** The value as it is written. It can refer to other variables. */
  readonly value: Piece;
}

export interface HttpFile {
  readonly text: string;
  readonly blocks: readonly ParsedBlock[];
  readonly variables: readonly FileVariable[];
  /** Problems of the syntax, in the order of the text. */
  readonly problems: readonly HttpProblem[];
}

/** Returns the span of a piece. */
export function spanOf({ text, start }: Piece): Span {
  return { start, end: start + text.length };
}

/** Returns the request at an offset: the last one that begins at or before it. */
export function blockAt<Block extends Span>(
  { blocks }: { readonly blocks: readonly Block[] },
  offset: number,
): Block | undefined {
  return blocks.findLast(({ start }) => start <= offset);
}
