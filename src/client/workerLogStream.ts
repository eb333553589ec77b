import { EventSource } from 'eventsource';
import { operations } from '../contract/operations.ts';
import { RETRY_AFTER_HEADER } from '../contract/rateLimit.ts';
import { LAST_EVENT_ID_HEADER, LogEvent, type LogSource } from '../contract/workerLogs.ts';
import { readBody } from './answer.ts';
import { ApiError, errorOfAnswer, errorOfFailure, parseJson, parseRetryAfter, type ErrorKind } from './apiError.ts';
import { authorizationHeaders } from './connection.ts';
import type { Fetch, RequestContext } from './context.ts';
import { LogPlace, type Resumption } from './logPlace.ts';
import { refuseRedirect, urlOf } from './request.ts';
import { backoffMs, refusalWaitMs } from './retry.ts';

const OPERATION = 'getWorkerLogs';

/** Pauses before the service is asked again, when it refused or was not there. */
const STREAM_BACKOFF = { firstMs: 3_000, lastMs: 60_000 };
/** A refusal says why in a few words. */
const REFUSAL_LIMIT_BYTES = 64 * 1024;

/** Maximum frame size in bytes. Fits the longest line that the local platform stores, even with every character escaped. */
export const FRAME_LIMIT = 8 * 1024 * 1024;

/** What ends a stream for good. */
const FINAL: readonly ErrorKind[] = ['unauthorized', 'forbidden', 'notFound'];

export interface WorkerLogStreamOptions {
  readonly id: string;
  readonly workerId: string;
  readonly source?: LogSource;
  /** Lines to fetch from before now, when the place is the beginning. */
  readonly tail?: number;
  /** Where an earlier stream was; this one moves it on. */
  readonly place?: LogPlace;
  /** Each line once. */
  readonly onLine: (event: LogEvent) => void;
  /** The stream is open, after the start and after each loss. */
  readonly onOpen?: () => void;
  /** There is no connection, and it is being tried again; said once until it is open. */
  readonly onReconnecting?: () => void;
  /**
   * The service answered 401, 403 or 404, did not send an event stream, or sent a frame larger than `FRAME_LIMIT` (code `tooLarge`).
   * The stream has ended and does not reconnect.
   */
  readonly onError: (error: ApiError) => void;
}

/**
 * Follows a worker's log lines (interface document, operation 9). Goes on by itself after a cut exactly where it was; waits out a
 * 429, and tries again, ever more slowly, after any other failure.
 *
 * @returns a function that closes the stream
 */
export function openWorkerLogStream(context: RequestContext, options: WorkerLogStreamOptions): () => void {
  const { id, workerId, source, tail, place = new LogPlace() } = options;
  let ended: ApiError | undefined;
  let lost = false;
  const onLost = () => {
    if (!lost) options.onReconnecting?.();
    lost = true;
  };
  /** Failures since the last line: a service that accepts and hangs up is asked ever more slowly too. */
  let failures = 0;
  let opened = false;
  /** The id the event stream has arrived at, be it by a frame without a line. */
  let lastLineId = '';

  const connect = async (init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(authorizationHeaders(context.connection))) headers.set(name, value);
    const streamId = headers.get(LAST_EVENT_ID_HEADER);
    if (streamId !== null && streamId !== headerText(lastLineId)) place.advance(streamId);
    const { lastEventId, since }: Resumption = place.resume() ?? {};
    headers.delete(LAST_EVENT_ID_HEADER);
    if (lastEventId !== undefined) headers.set(LAST_EVENT_ID_HEADER, headerText(lastEventId));
    const query = since === undefined ? { source, tail } : { source, since };
    const url = urlOf(operations[OPERATION], context.connection, { parameters: { id, workerId }, query });
    try {
      const response = await context.fetch(url, { ...init, headers, redirect: 'manual' });
      context.rateLimits.read(response.headers, context.clock.now());
      if (response.status === 200 && isEventStream(response)) return response;
      throw await refusalOf(context, response);
    } catch (failure) {
      throw errorOfFailure(OPERATION, failure, url.href);
    }
  };

  /** Returns when there is a stream, or never will be. */
  const patientFetch: Fetch = async (_, init = {}) => {
    const signal = init.signal ?? undefined;
    // One that was cut may be opened again at once, but not over and over.
    if (opened && failures++ > 0) await rest(backoff(failures - 1), signal);
    for (;;) {
      try {
        const response = await connect(init);
        opened = true;
        return response;
      } catch (error) {
        if (signal?.aborted || !(error instanceof ApiError)) throw abortError();
        if (isFinal(error)) {
          ended = error;
          // Ends an event stream without a further attempt.
          return new Response(null, { status: 204 });
        }
        onLost();
        await rest(waitMs(error), signal);
      }
    }
  };
  const rest = (ms: number, signal: AbortSignal | undefined) =>
    context.clock.sleep(ms, signal).catch(() => Promise.reject(abortError()));
  const backoff = (count: number) => backoffMs(count - 1, context.random, STREAM_BACKOFF);
  const waitMs = (error: ApiError) => {
    failures++;
    if (error.kind !== 'rateLimited') return Math.max(backoff(failures), error.retryAfterMs ?? 0);
    const ms = refusalWaitMs(context, context.rateLimits, error, failures - 1);
    context.onWait?.({ operation: OPERATION, ms, reason: error.message });
    return ms;
  };

  const address = urlOf(operations[OPERATION], context.connection, { parameters: { id, workerId } });
  const stream = new EventSource(address, { fetch: patientFetch, maxBufferSize: FRAME_LIMIT });
  stream.addEventListener('open', () => {
    lost = false;
    options.onOpen?.();
  });
  stream.addEventListener('message', (message) => {
    const { lastEventId } = message;
    const event = LogEvent.safeParse(parseJson(message.data as string));
    if (!event.success) return;
    failures = 0;
    lastLineId = lastEventId;
    if (place.take(event.data, lastEventId)) options.onLine(event.data);
  });
  stream.addEventListener('error', () => {
    if (stream.readyState !== EventSource.CLOSED) onLost();
    else options.onError(ended ?? frameTooLarge());
  });
  return () => stream.close();
}

/** The error for a frame larger than `FRAME_LIMIT`, the only reason for which the event stream ends itself. */
function frameTooLarge(): ApiError {
  const message = `the log has a line that exceeds the limit of ${FRAME_LIMIT / 1024 / 1024} MiB`;
  return new ApiError('server', message, { operation: OPERATION, code: 'tooLarge' });
}

function isFinal({ kind, status = 0 }: ApiError): boolean {
  return FINAL.includes(kind) || (status >= 200 && status < 400);
}

async function refusalOf(context: RequestContext, response: Response): Promise<ApiError> {
  const { status, headers } = response;
  try {
    refuseRedirect(OPERATION, response);
  } catch (error) {
    return error as ApiError;
  }
  if (response.ok) {
    // A proxy's sign-in page, say. It may be long.
    await response.body?.cancel();
    return new ApiError('server', 'the answer is not an event stream', { operation: OPERATION, status });
  }
  const { text } = await readBody(response, NEVER, REFUSAL_LIMIT_BYTES);
  const retryAfterMs = parseRetryAfter(headers.get(RETRY_AFTER_HEADER), context.clock.now());
  return errorOfAnswer(OPERATION, { status, text, retryAfterMs });
}

const NEVER = new AbortController().signal;

function isEventStream({ headers }: Response): boolean {
  return headers.get('Content-Type')?.startsWith('text/event-stream') === true;
}

/** Ends an event stream that was closed, without a word. */
function abortError(): DOMException {
  return new DOMException('closed', 'AbortError');
}

/** A text as the bytes of its UTF-8 form, which is what a header can carry. */
function headerText(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}
