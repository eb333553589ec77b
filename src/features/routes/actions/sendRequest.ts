import { ApiError, parseRetryAfter } from '../../../client/apiError.ts';
import { balancerError, openRoute, type RouteStream } from '../../../client/callRoute.ts';
import type { RequestContext } from '../../../client/context.ts';
import type { RouteRequest } from '../../../client/routeRequest.ts';
import { RETRY_AFTER_HEADER } from '../../../contract/rateLimit.ts';
import { NO_WORKERS } from '../../../contract/route.ts';
import type { HttpHeader } from '../model/httpFile.ts';

/** Beginning of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly HttpHeader[];
  readonly workerId: string | undefined;
  /** Time from the first attempt to the response, in ms. */
  readonly firstByteMs: number;
}

/** Reason why no more of a response arrives. */
export type ResponseEnd =
  | { readonly kind: 'complete' }
  | { readonly kind: 'canceled' }
  /** The connection closed before the end of the response. */
  | { readonly kind: 'cut'; readonly reason: string }
  /** The response exceeds `MAX_RECEIVED_BYTES`. */
  | { readonly kind: 'tooLarge' };

/** Receives the state of a request. */
export interface SendObserver {
  /** Called immediately, and every second until the response begins. @param elapsedMs time since the first attempt */
  waiting(elapsedMs: number): void;
  /** Called when no worker became ready in time. The request is sent again after a pause. */
  retrying(pauseMs: number): void;
  head(head: ResponseHead): void;
  chunk(bytes: Uint8Array): void;
}

export interface SendOptions {
  readonly context: RequestContext;
  readonly signal: AbortSignal;
  readonly observer: SendObserver;
  /** Returns whether a worker can become ready, for example because the endpoint is not paused. */
  readonly mayRetry: () => boolean;
}

export interface Sent {
  readonly end: ResponseEnd;
  /** Time from the first attempt to the end of the response, in ms. */
  readonly totalMs: number;
}

/** Maximum size of a response that is received, in bytes. */
export const MAX_RECEIVED_BYTES = 64 * 1_048_576;

const TICK_MS = 1_000;
/** Pause before the next attempt if the load balancer names none, in ms. */
const PAUSE_MS = 5_000;
/** Maximum size of an error of the load balancer, in bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Sends a request and passes its response on while it arrives. While no worker is ready, the request is sent again: no worker has received
 * it, so this is safe for each method.
 *
 * @throws ApiError if there is no response. A failure after the beginning of the response is the result's `end`
 */
export async function sendRequest(
  request: RouteRequest,
  { context, signal, observer, mayRetry }: SendOptions,
): Promise<Sent> {
  const { clock } = context;
  const startedAt = clock.now();
  const elapsed = () => clock.now() - startedAt;
  const begun = new AbortController();
  const ticking = tick(context, begun.signal, () => observer.waiting(elapsed()));
  try {
    for (;;) {
      const response = await openRoute(context, request, { signal });
      const firstByteMs = elapsed();
      const reader = readerOf(response);
      const early = isJsonError(response) ? await readEarly(reader) : undefined;
      const text = early && new TextDecoder().decode(Buffer.concat(early.chunks));
      if (text !== undefined && balancerError(response.headers, text) === NO_WORKERS && mayRetry() && !signal.aborted) {
        const pauseMs = parseRetryAfter(response.headers.get(RETRY_AFTER_HEADER), clock.now()) ?? PAUSE_MS;
        observer.retrying(pauseMs);
        await pause(context, pauseMs, signal);
        continue;
      }
      begun.abort();
      observer.head(headOf(response, firstByteMs));
      const end = early?.end;
      for (const chunk of early?.chunks ?? []) observer.chunk(chunk);
      return { end: end ?? (await readRest(reader, early?.chunks ?? [], observer)), totalMs: elapsed() };
    }
  } finally {
    begun.abort();
    await ticking;
  }
}

function headOf({ status, statusText, headers, workerId }: RouteStream, firstByteMs: number): ResponseHead {
  const pairs = [...headers].map(([name, value]) => ({ name, value }));
  return { status, statusText, headers: pairs, workerId, firstByteMs };
}

/** Returns whether a response can be an error of the load balancer, which is short JSON. */
function isJsonError({ status, workerId, headers }: RouteStream): boolean {
  return status >= 400 && workerId === undefined && /\bjson\b/i.test(headers.get('Content-Type') ?? '');
}

interface Reader {
  read(): Promise<Uint8Array | ResponseEnd>;
  cancel(): Promise<void>;
}

function readerOf({ body }: RouteStream): Reader {
  const reader = body?.getReader();
  return {
    read: async () => {
      try {
        const { value } = (await reader?.read()) ?? {};
        return value ?? { kind: 'complete' };
      } catch (failure) {
        if (failure instanceof ApiError && failure.kind === 'canceled') return { kind: 'canceled' };
        const { cause, message } = failure as Error;
        return { kind: 'cut', reason: cause instanceof Error && cause.message !== '' ? cause.message : message };
      }
    },
    cancel: async () => reader?.cancel(),
  };
}

interface Early {
  readonly chunks: readonly Uint8Array[];
  /** Undefined if the response is longer than an error of the load balancer. */
  readonly end: ResponseEnd | undefined;
}

async function readEarly(reader: Reader): Promise<Early> {
  const chunks: Uint8Array[] = [];
  for (let size = 0; size <= MAX_ERROR_BYTES;) {
    const next = await reader.read();
    if ('kind' in next) return { chunks, end: next };
    chunks.push(next);
    size += next.length;
  }
  return { chunks, end: undefined };
}

async function readRest(reader: Reader, early: readonly Uint8Array[], observer: SendObserver): Promise<ResponseEnd> {
  let size = early.reduce((sum, { length }) => sum + length, 0);
  for (;;) {
    const next = await reader.read();
    if ('kind' in next) return next;
    size += next.length;
    if (size > MAX_RECEIVED_BYTES) {
      await reader.cancel();
      return { kind: 'tooLarge' };
    }
    observer.chunk(next);
  }
}

async function pause({ clock }: RequestContext, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch {
    throw new ApiError('canceled', 'canceled', { operation: 'callRoute' });
  }
}

async function tick({ clock }: RequestContext, signal: AbortSignal, task: () => void): Promise<void> {
  try {
    for (;;) {
      task();
      await clock.sleep(TICK_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
