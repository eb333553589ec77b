import { ROUTE_METHODS } from '../../../contract/route.ts';
import type { HttpMethod, Piece } from './httpFile.ts';
import type { Span } from '../../../text/span.ts';
import type { Line } from './lineSyntax.ts';
import type { ProblemList } from './problem.ts';

export const HTTP_METHODS: readonly HttpMethod[] = [...ROUTE_METHODS, 'WEBSOCKET'];

export interface RequestLine {
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
