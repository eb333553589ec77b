import { problem, type HttpProblem } from './problem.ts';
import type { Span } from '../../../text/span.ts';

/** An endpoint that requests can name. */
export interface RouteEndpoint {
  readonly id: string;
  readonly name: string;
  readonly type: 'QUEUE' | 'LOAD_BALANCER';
  /** Base address, without a slash at its end. The key of the connection is sent only below it. */
  readonly base: string;
}

/** Values on which the resolution of variables depends. */
export interface ResolveContext {
  /** Endpoints of the current connection. Undefined if they have not been read. */
  readonly endpoints: readonly RouteEndpoint[] | undefined;
  /** Name or ID of the endpoint of requests that name none, unless the file defines `@endpoint`. */
  readonly defaultEndpoint?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number;
}

/** Returns the endpoint with an ID or a name, or the problem of the name. An ID takes precedence over a name. */
export function endpointNamed(
  name: string,
  { endpoints }: Pick<ResolveContext, 'endpoints'>,
  span: Span,
): { readonly endpoint: RouteEndpoint } | { readonly problem: HttpProblem } {
  if (!endpoints) return { problem: problem('endpointsNotRead', span, { name }) };
  const byId = endpoints.find(({ id }) => id === name);
  const found = byId ? [byId] : endpoints.filter((one) => one.name === name);
  const [endpoint] = found;
  if (!endpoint)
    return { problem: problem('unknownEndpoint', span, { name, known: endpoints.map((one) => one.name) }) };
  if (found.length > 1)
    return { problem: problem('ambiguousEndpoint', span, { name, ids: found.map(({ id }) => id) }) };
  return { endpoint };
}

/** Returns the endpoint whose base address contains a URL, and the path and query below it. */
export function endpointOfUrl(
  url: URL,
  endpoints: readonly RouteEndpoint[],
): { readonly endpoint: RouteEndpoint; readonly path: string } | undefined {
  if (url.username !== '' || url.password !== '') return undefined;
  const found = endpoints.flatMap((endpoint) => {
    const base = URL.parse(endpoint.base);
    if (base?.origin !== url.origin) return [];
    const below = pathBelow(base, url);
    return below === undefined ? [] : [{ endpoint, path: below + url.search, depth: base.pathname.length }];
  });
  return found.sort((a, b) => b.depth - a.depth)[0];
}

/** Returns the path of a URL below a base address, or undefined if it is not below it. */
export function pathBelow(base: URL, url: URL): string | undefined {
  const prefix = base.pathname.replace(/\/$/, '');
  if (base.origin !== url.origin) return undefined;
  if (url.pathname === prefix) return '/';
  return url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : undefined;
}
