import type { RouteMethod } from '../contract/route.ts';
import { ApiError } from './apiError.ts';
import { authorizationHeaders } from './connection.ts';
import type { RequestContext } from './context.ts';

/** Name of the operation in errors. */
export const ROUTE_OPERATION = 'callRoute';

/** Address of an HTTP call to an endpoint. */
export interface RouteAddress {
  readonly endpointId: string;
  /** Default: `LOAD_BALANCER`. Paths of a queue endpoint are relative to its request address, as in `/openai/v1/models`. */
  readonly endpointType?: 'QUEUE' | 'LOAD_BALANCER' | undefined;
  /** Path that the worker defines. Starts with `/` and can have a query. */
  readonly path: string;
}

/** Headers by name, or as pairs, which can repeat a name. */
export type RouteHeaders = Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[];

/** One HTTP call to an endpoint. */
export interface RouteRequest extends RouteAddress {
  readonly method: RouteMethod;
  /** Request headers. The client sets those that identify the caller and those of the connection. */
  readonly headers?: RouteHeaders | undefined;
  /** Text or bytes. The caller sets the content type. */
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Returns the URL of a call.
 *
 * @throws ApiError of kind `validation` if the path leaves the endpoint, because each request contains the key
 */
export function routeUrl({ addresses }: RequestContext, { endpointId, endpointType, path }: RouteAddress): URL {
  const address = endpointType === 'QUEUE' ? addresses.requests(endpointId) : addresses.routes(endpointId);
  const base = new URL(`${address}/`);
  const url = path.startsWith('/') ? URL.parse(base.href + path.slice(1)) : null;
  if (url?.origin === base.origin && url.pathname.startsWith(base.pathname)) return url;
  throw invalid(path.startsWith('/') ? `${path} is not a path of the endpoint` : 'a path must start with /');
}

/** Headers that describe the connection. The client sets them, and another host would redirect the key to another endpoint. */
const OWN_HEADERS = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'keep-alive', 'te', 'trailer', 'expect'],
  ...['proxy-authorization', 'proxy-connection', 'sec-websocket-key', 'sec-websocket-version'],
  ...['sec-websocket-extensions', 'sec-websocket-accept'],
]);

/** Returns the headers of a call, with those that identify the caller. @throws ApiError of kind `validation` for an invalid header */
export function routeHeaders({ connection }: RequestContext, headers: RouteHeaders = []): Headers {
  const all = new Headers();
  for (const [name, value] of isPairs(headers) ? headers : Object.entries(headers)) {
    if (OWN_HEADERS.has(name.toLowerCase())) continue;
    try {
      all.append(name, value);
    } catch {
      throw invalid(
        /^[\w!#$%&'*+.^`|~-]+$/.test(name)
          ? `the header ${name} contains a character that HTTP does not allow, such as a line break`
          : `${name} is not a valid name of a header`,
      );
    }
  }
  for (const [name, value] of Object.entries(authorizationHeaders(connection))) all.set(name, value);
  return all;
}

function isPairs(headers: RouteHeaders): headers is readonly (readonly [string, string])[] {
  return Array.isArray(headers);
}

function invalid(message: string): ApiError {
  return new ApiError('validation', message, { operation: ROUTE_OPERATION });
}
