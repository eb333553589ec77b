import { createParser } from 'eventsource-parser';
import type * as z from 'zod';
import { ApiError, errorOfFailure } from './apiError.ts';
import { PullEvent, type PullImageBody } from '../contract/control/controlImages.ts';
import { XRayEvent } from '../contract/control/controlTraces.ts';
import { DebugEvent, type DebugBody } from '../contract/control/controlWorkers.ts';
import { parseJson } from '../contract/parsedJson.ts';
import { errorOfAnswer } from './errorAnswer.ts';
import { controlOperations } from '../contract/control/controlOperations.ts';
import { readBody } from './answer.ts';
import { authorizationHeaders } from './connection.ts';
import type { RequestContext } from './context.ts';
import { refuseRedirect, urlOf } from './request.ts';

/** Maximum size of a refusal, and of an event, in bytes. */
const LONGEST = 256 * 1024;

/** A request of the control API whose response is a stream of events. */
interface ControlStream<Event> {
  readonly operation: 'debugWorker' | 'pullImage' | 'xRayStart';
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly event: z.ZodType<Event>;
  /** Names of the last events. */
  readonly last: readonly string[];
}

/**
 * Pulls an image on the engine of a local platform. Yields each event; `done` or `failed` is the last one. The signal, and the end of the
 * iteration, cancel the pull.
 *
 * @throws ApiError if the request is refused, is canceled, or ends before the last event
 */
export function pullImage(
  context: RequestContext,
  body: PullImageBody,
  signal: AbortSignal,
): AsyncGenerator<PullEvent, void> {
  const stream = { operation: 'pullImage', body, event: PullEvent, last: ['done', 'failed'] } as const;
  return controlEvents(context, stream, signal);
}

/**
 * Measures the start of a further worker of a local platform. Yields each event; `ready` or `failed` is the last one. The signal, and the end
 * of the iteration, end the worker.
 *
 * @throws ApiError as `pullImage`
 */
export function xRayStart(
  context: RequestContext,
  endpointId: string,
  signal: AbortSignal,
): AsyncGenerator<XRayEvent, void> {
  const stream = { operation: 'xRayStart', event: XRayEvent, last: ['ready', 'failed'] } as const;
  return controlEvents(context, { ...stream, parameters: { endpointId } }, signal);
}

/**
 * Holds a worker of a local platform for a debugger. Yields each event; `ended` or `failed` is the last one. The signal, and the end of the
 * iteration, release the worker.
 *
 * @throws ApiError as `pullImage`
 */
export function debugWorker(
  context: RequestContext,
  endpointId: string,
  body: DebugBody,
  signal: AbortSignal,
): AsyncGenerator<DebugEvent, void> {
  const stream = { operation: 'debugWorker', event: DebugEvent, last: ['ended', 'failed'] } as const;
  return controlEvents(context, { ...stream, parameters: { endpointId }, body }, signal);
}

async function* controlEvents<Event extends { readonly event: string }>(
  context: RequestContext,
  { operation, parameters = {}, body, event: schema, last: ends }: ControlStream<Event>,
  signal: AbortSignal,
): AsyncGenerator<Event, void> {
  const row = controlOperations[operation];
  const url = urlOf(row, context.connection, { parameters });
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  try {
    const response = await context.fetch(url, {
      method: row.method,
      headers: {
        ...authorizationHeaders(context.connection),
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: either,
    });
    refuseRedirect(operation, response);
    if (!response.ok) {
      const { text } = await readBody(response, either, LONGEST);
      throw errorOfAnswer(operation, { status: response.status, text });
    }
    let last: Event | undefined;
    for await (const event of eventsOf(response, schema)) {
      yield event;
      last = event;
      if (ends.includes(event.event)) return;
    }
    const message = last ? 'the connection closed before the last event' : 'the response contains no events';
    throw new ApiError('network', message, { operation, status: response.status });
  } catch (failure) {
    if (signal.aborted) throw new ApiError('canceled', 'canceled', { operation });
    throw errorOfFailure(operation, failure, url.href);
  } finally {
    ending.abort();
  }
}

async function* eventsOf<Event>({ body }: Response, schema: z.ZodType<Event>): AsyncGenerator<Event> {
  let events: Event[] = [];
  const parser = createParser({
    maxBufferSize: LONGEST,
    onEvent: ({ data }) => {
      const event = schema.safeParse(parseJson(data));
      if (event.success) events.push(event.data);
    },
  });
  const decoder = new TextDecoder();
  const chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[] = body ?? [];
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    const received = events;
    events = [];
    yield* received;
  }
}
