import { ApiError } from '../../../client/apiError.ts';
import { openRoute, type RouteStream } from '../../../client/callRoute.ts';
import { routeLimitOf } from '../../../client/operationTimes.ts';
import type { RouteRequest } from '../../../client/routeRequest.ts';
import type { HttpHeader } from '../model/httpFile.ts';
import { pauseAfter, untilWorkerReady, type WaitObserver, type WaitOptions } from './untilWorkerReady.ts';

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
export interface SendObserver extends WaitObserver {
  head(head: ResponseHead): void;
  chunk(bytes: Uint8Array): void;
}

export interface SendOptions extends WaitOptions {
  readonly observer: SendObserver;
}

export interface Sent {
  readonly end: ResponseEnd;
  /** Time from the first attempt to the end of the response, in ms. */
  readonly totalMs: number;
}

/** Maximum size of a response that is received, in bytes. */
export const MAX_RECEIVED_BYTES = 64 * 1_048_576;

/** Maximum size of an error of the load balancer, in bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Sends a request and passes its response on while it arrives. Sends it again while no worker is ready.
 *
 * @throws ApiError if there is no response. A failure after the beginning of the response is the result's `end`
 */
export async function sendRequest(request: RouteRequest, options: SendOptions): Promise<Sent> {
  const { context, signal, observer, timeout } = options;
  const startedAt = context.clock.now();
  const elapsed = () => context.clock.now() - startedAt;
  const { response, firstByteMs, reader, early } = await untilWorkerReady(options, async () => {
    const response = await openRoute(context, request, { signal, timeout: routeLimitOf(timeout) });
    const firstByteMs = elapsed();
    const reader = readerOf(response);
    const early = isJsonError(response) ? await readEarly(reader) : undefined;
    const text = early && new TextDecoder().decode(Buffer.concat(early.chunks));
    const pauseMs = text === undefined ? undefined : pauseAfter(context, response.headers, text);
    return { result: { response, firstByteMs, reader, early }, pauseMs };
  });
  observer.head(headOf(response, firstByteMs));
  for (const chunk of early?.chunks ?? []) observer.chunk(chunk);
  const end = early?.end ?? (await readRest(reader, early?.chunks ?? [], observer));
  return { end, totalMs: elapsed() };
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
