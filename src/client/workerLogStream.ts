import { EventSource } from 'eventsource';
import { operations } from '../contract/operations.ts';
import { LAST_EVENT_ID_HEADER, LogEvent, type LogSource } from '../contract/workerLogs.ts';
import { ApiError, errorOfAnswer, parseJson } from './apiError.ts';
import { authorizationHeaders } from './connection.ts';
import { urlOf, type RequestContext } from './request.ts';

export interface WorkerLogStreamOptions {
  readonly id: string;
  readonly workerId: string;
  readonly source?: LogSource;
  /** Lines to fetch from before now; ignored when a cursor is given. */
  readonly tail?: number;
  /** Id of the last event seen by an earlier stream: only what came after it is sent. */
  readonly lastEventId?: string;
  /** `id` is a cursor: an opaque text. */
  readonly onLine: (event: LogEvent, id: string) => void;
  /** The stream is open, after the start and after each reconnection. */
  readonly onOpen?: () => void;
  /** The connection was lost; the stream is about to reconnect where it was. */
  readonly onReconnecting?: () => void;
  /** The service refused: the stream has ended for good. */
  readonly onError: (error: ApiError) => void;
}

/**
 * Follows a worker's log lines (interface document, operation 9). Reconnects by itself with Last-Event-ID; a refusal by the
 * service (401, 403, 404 …) ends it.
 *
 * @returns a function that closes the stream
 */
export function openWorkerLogStream(context: RequestContext, options: WorkerLogStreamOptions): () => void {
  const name = 'getWorkerLogs';
  const { id, workerId, source, tail, lastEventId } = options;
  const url = urlOf(operations[name], context.connection, { parameters: { id, workerId }, query: { source, tail } });
  let refusal: ApiError | undefined;

  const stream = new EventSource(url, {
    fetch: async (address, init) => {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries(authorizationHeaders(context.connection))) headers.set(name, value);
      if (lastEventId !== undefined && !headers.has(LAST_EVENT_ID_HEADER))
        headers.set(LAST_EVENT_ID_HEADER, lastEventId);
      const response = await context.fetch(address, { ...init, headers });
      if (response.status === 200 && isEventStream(response)) return response;
      // The stream drops the body of a refusal together with its connection: it is read here.
      const text = await response.text();
      refusal = response.ok ? notAnEventStream(name, response.status) : errorOfAnswer(name, response.status, text);
      return new Response(null, { status: response.ok ? 204 : response.status });
    },
  });
  stream.addEventListener('open', () => options.onOpen?.());
  stream.addEventListener('message', (message) => {
    const event = LogEvent.safeParse(parseJson(message.data as string));
    if (event.success) options.onLine(event.data, message.lastEventId);
  });
  stream.addEventListener('error', () => {
    if (stream.readyState !== EventSource.CLOSED) options.onReconnecting?.();
    else if (refusal) options.onError(refusal);
  });
  return () => stream.close();
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('Content-Type')?.startsWith('text/event-stream') === true;
}

/** What a proxy's sign-in page, say, is answered with. */
function notAnEventStream(operation: string, status: number): ApiError {
  return new ApiError('server', 'the answer is not an event stream', { operation, status });
}
