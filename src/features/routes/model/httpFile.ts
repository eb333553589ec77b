import type { RouteMethod } from '../../../contract/route.ts';

/* The parts of an HTTP file: requests in the syntax of the REST Client and of JetBrains editors. */

/** Offsets in a text, in UTF-16 code units. The end is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type HttpMethod = RouteMethod | 'WEBSOCKET';

export interface HttpHeader {
  readonly name: string;
  readonly value: string;
}

/** Body of a request: text, or the file that `< path` names, relative to the HTTP file. */
export type HttpBody =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'file'; readonly path: string };

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
