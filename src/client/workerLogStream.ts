import { EventSource } from 'eventsource';
import { operations } from '../contract/operations.ts';
import { RETRY_AFTER_HEADER } from '../contract/rateLimit.ts';
import { isLogEvent, LAST_EVENT_ID_HEADER, type LogEvent, type LogSource } from '../contract/workerLogs.ts';
import { readBody } from './answer.ts';
import { ApiError, errorOfFailure, parseRetryAfter, type ErrorKind } from './apiError.ts';
import { parseJson } from '../contract/parsedJson.ts';
import { errorOfAnswer } from './errorAnswer.ts';
import { authorizationHeaders } from './connection.ts';
import type { Fetch, RequestContext } from './context.ts';
import { LogPlace, type Resumption } from './logPlace.ts';
import { logStreamBody } from './logStreamBody.ts';
import { refuseRedirect, urlOf } from './request.ts';
import { backoffMs, refusalWaitMs } from './retry.ts';

const OPERATION = 'getWorkerLogs';

/** Delays before reconnecting after an error. */
const STREAM_BACKOFF = { firstMs: 3_000, lastMs: 60_000 };
/** Maximum size of an error response, which has a short message. */
const REFUSAL_LIMIT_BYTES = 64 * 1024;

/** Maximum frame size in bytes. Fits the longest line that the local platform stores, even with every character escaped. */
export const FRAME_LIMIT = 8 * 1024 * 1024;
/** Maximum size of one line of a frame, in bytes. Longer lines are cut. */
const FRAME_LINE_LIMIT = FRAME_LIMIT - 64 * 1024;

/** Kinds of errors that end a stream. */
const FINAL: readonly ErrorKind[] = ['unauthorized', 'forbidden', 'notFound'];

export interface WorkerLogStreamOptions {
  readonly id: string;
  readonly workerId: string;
  readonly source?: LogSource;
  /** Number of past lines to fetch if the position is the beginning of the log. */
  readonly tail?: number;
  /** Time from which to fetch lines if the position is the beginning of the log, as an RFC 3339 date-time. `tail` is ignored. */
  readonly since?: string | undefined;
  /** Position from which to continue. The stream updates it. */
  readonly place?: LogPlace;
  /** Called with each line once, with the ID of its event (`''` if it has none), and with its JSON as it was received. */
  readonly onLine: (event: LogEvent, id: string, data: string) => void;
  /**
   * Called before each chunk of the stream is read. The stream waits for the result, so the reader can limit the speed.
   *
   * @param isComment whether the chunk begins with a comment, such as a heartbeat
   */
  readonly beforeChunk?: (isComment: boolean) => Promise<void> | undefined;
  /** Called when the stream opens, and when it reconnects. */
  readonly onOpen?: () => void;
  /** Called once when the connection is lost, before the attempts to reconnect. */
  readonly onReconnecting?: () => void;
  /**
   * Called when the service responds with 401, 403, or 404, does not send an event stream, or sends a frame of many lines that is larger
   * than `FRAME_LIMIT` (code `tooLarge`). The stream has ended and does not reconnect.
   */
  readonly onError: (error: ApiError) => void;
}

/**
 * Follows the log of a worker. After a lost connection, the stream resumes at the same position. It waits for the end of a rate limit,
 * and reconnects with growing delays after any other failure.
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
  /** Failures since the last line. Connections that close without a line count too. */
  let failures = 0;
  let opened = false;
  /** ID of the last event with a line. */
  let lastLineId = '';

  const connect = async (init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(authorizationHeaders(context.connection))) headers.set(name, value);
    const streamId = headers.get(LAST_EVENT_ID_HEADER);
    if (streamId !== null && streamId !== headerText(lastLineId)) place.advance(streamId);
    const { lastEventId, since }: Resumption = place.resume() ?? {
      ...(options.since !== undefined && { since: options.since }),
    };
    headers.delete(LAST_EVENT_ID_HEADER);
    if (lastEventId !== undefined) headers.set(LAST_EVENT_ID_HEADER, headerText(lastEventId));
    const query = since === undefined ? { source, tail } : { source, since };
    const url = urlOf(operations[OPERATION], context.connection, { parameters: { id, workerId }, query });
    try {
      const response = await context.fetch(url, { ...init, headers, redirect: 'manual' });
      context.rateLimits.read(response.headers, context.clock.now());
      if (response.status !== 200 || !isEventStream(response)) throw await refusalOf(context, response);
      context.health.record(undefined);
      return withBounds(response, options.beforeChunk);
    } catch (failure) {
      const error = errorOfFailure(OPERATION, failure, url.href);
      if (!init.signal?.aborted) context.health.record(error);
      throw error;
    }
  };

  /** Resolves once there is a stream, or a final error. */
  const patientFetch: Fetch = async (_, init = {}) => {
    const signal = init.signal ?? undefined;
    // The first reconnection after a line is immediate.
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
          // This status makes EventSource close without reconnecting.
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
    const data = message.data as string;
    const event = parseJson(data);
    if (!isLogEvent(event)) return;
    failures = 0;
    lastLineId = lastEventId;
    if (place.take(event, lastEventId)) options.onLine(event, lastEventId, data);
  });
  stream.addEventListener('error', () => {
    if (stream.readyState !== EventSource.CLOSED) onLost();
    else options.onError(ended ?? frameTooLarge());
  });
  return () => stream.close();
}

/** Returns the error for a frame larger than `FRAME_LIMIT`, the only reason for which EventSource closes itself. */
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
    // The body, such as the sign-in page of a proxy, can be long.
    await response.body?.cancel();
    return new ApiError('server', 'the response is not an event stream', { operation: OPERATION, status });
  }
  const { text } = await readBody(response, NEVER, REFUSAL_LIMIT_BYTES);
  const retryAfterMs = parseRetryAfter(headers.get(RETRY_AFTER_HEADER), context.clock.now());
  return errorOfAnswer(OPERATION, { status, text, retryAfterMs });
}

const NEVER = new AbortController().signal;

/** Returns the response with a body that contains no overlong line and waits for the reader. */
function withBounds(response: Response, beforeChunk: WorkerLogStreamOptions['beforeChunk']): Response {
  if (!response.body) return response;
  const body = logStreamBody(response.body, { longestLine: FRAME_LINE_LIMIT, beforeChunk });
  return new Response(body, { status: response.status, headers: response.headers });
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('Content-Type')?.startsWith('text/event-stream') === true;
}

/** Returns the error that ends a closed EventSource without an event. */
function abortError(): DOMException {
  return new DOMException('closed', 'AbortError');
}

/** Encodes text as UTF-8 with one character per byte, because header values contain only bytes. */
function headerText(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}
