import { WORKER_ID_HEADER } from '../../contract/route.ts';
import { TRACE_PARENT_HEADER, TRACE_STATE_HEADER } from '../../contract/headers.ts';
import type { HeaderFields } from '../accounts/rateLimits.ts';
import type { ForwardedTrace } from './routeSpans.ts';

/* Rewrites the headers that pass through the balancer. They are flat lists of names and values, which keep order, case, and repetition. */

/** Headers of a single connection (RFC 9110, section 7.6.1), and `Expect`, which the balancer handles. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'http2-settings', 'expect'],
]);

const AFFINITY_HEADER = WORKER_ID_HEADER.toLowerCase();

/** Headers that the balancer replaces or drops. Authorization contains the platform's API key, which a worker could write to its log. */
const REPLACED = new Set(['host', 'authorization', AFFINITY_HEADER, 'x-forwarded-for', 'x-forwarded-host']);
const FORWARDED = new Set(['x-forwarded-proto', 'x-forwarded-prefix']);

export interface Caller {
  readonly host: string;
  readonly address: string;
  /** Prefix of the path that the worker does not receive: empty or `/…`. */
  readonly prefix: string;
  /** Value of the caller's own X-Forwarded-For header. */
  readonly forwardedFor: string | undefined;
}

/**
 * Returns the request headers for the worker, with X-Forwarded headers that describe the caller.
 *
 * @param trace replaces the trace of the caller. Default: the worker receives that of the caller
 */
export function requestHeaders(
  raw: readonly string[],
  { host, address, prefix, forwardedFor }: Caller,
  trace?: ForwardedTrace,
): string[] {
  const dropped = connectionOptions(raw);
  const isReplaced = (key: string): boolean =>
    trace !== undefined && (key === TRACE_PARENT_HEADER || (key === TRACE_STATE_HEADER && !trace.isOfCaller));
  const headers = ['Host', host];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = [raw[index], raw[index + 1]];
    const key = name.toLowerCase();
    if (!HOP_BY_HOP.has(key) && !REPLACED.has(key) && !FORWARDED.has(key) && !dropped?.has(key) && !isReplaced(key)) {
      headers.push(name, value);
    }
  }
  headers.push('X-Forwarded-For', forwardedFor === undefined ? address : `${forwardedFor}, ${address}`);
  headers.push('X-Forwarded-Host', host, 'X-Forwarded-Proto', 'http');
  if (prefix !== '') headers.push('X-Forwarded-Prefix', prefix);
  if (trace) headers.push(TRACE_PARENT_HEADER, trace.traceParent);
  return headers;
}

/**
 * Returns the response headers for the caller, with the worker's ID. Headers in `ours` replace the worker's headers of the same name,
 * because clients would merge two lists of rate limits into one.
 */
export function answerHeaders(raw: readonly string[], workerId: string, ours: HeaderFields = {}): string[] {
  const dropped = connectionOptions(raw);
  const headers = [WORKER_ID_HEADER, workerId];
  const replaced = new Set<string>();
  for (const [name, value] of Object.entries(ours)) {
    replaced.add(name.toLowerCase());
    headers.push(name, value);
  }
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = [raw[index], raw[index + 1]];
    const key = name.toLowerCase();
    if (HOP_BY_HOP.has(key) || key === AFFINITY_HEADER || replaced.has(key) || dropped?.has(key)) continue;
    headers.push(name, value);
  }
  return headers;
}

/** Fields that frame a message have no meaning in trailers (RFC 9110, section 6.5.1). */
const NOT_IN_TRAILERS = new Set([...HOP_BY_HOP, AFFINITY_HEADER, 'content-length', 'content-encoding', 'content-type']);

/** Returns the trailers for the caller, as pairs of names and values. */
export function answerTrailers(raw: readonly string[]): [name: string, value: string][] {
  const trailers: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = [raw[index], raw[index + 1]];
    if (!NOT_IN_TRAILERS.has(name.toLowerCase())) trailers.push([name, value]);
  }
  return trailers;
}

/** Returns the headers that `Connection` names. They also belong to a single connection. */
function connectionOptions(raw: readonly string[]): Set<string> | undefined {
  let options: Set<string> | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() !== 'connection') continue;
    const names = (raw[index + 1] ?? '').split(',').map((name) => name.trim().toLowerCase());
    options = new Set([...(options ?? []), ...names]);
  }
  return options;
}
