import { createParser } from 'eventsource-parser';
import type * as z from 'zod';
import { ApiError, errorOfFailure } from './apiError.ts';
import { parseJson } from '../contract/parsedJson.ts';
import { errorOfAnswer } from './errorAnswer.ts';
import type { Operation } from '../contract/operation.ts';
import { readBody } from './answer.ts';
import { authorizationHeaders } from './connection.ts';
import type { RequestContext } from './context.ts';
import { refuseRedirect, urlOf } from './request.ts';

/** Maximum size of a refusal, and of an event, in bytes. */
const LONGEST = 256 * 1024;

/** A request of the control API whose response is a stream of events. */
export interface ControlStream<Schema extends z.ZodType> {
  /** Name of the operation, for errors. */
  readonly operation: string;
  readonly row: Operation;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly event: Schema;
  /** Whether the event is the last one. */
  readonly isLast: (event: z.output<Schema>) => boolean;
}

/**
 * Sends a request, and yields each event up to the last one. The signal, and the end of the iteration, close the stream.
 *
 * @throws ApiError if the request is refused, is canceled, or ends before the last event
 */
export async function* controlEvents<Schema extends z.ZodType>(
  context: RequestContext,
  { operation, row, parameters = {}, body, event: schema, isLast }: ControlStream<Schema>,
  signal: AbortSignal,
): AsyncGenerator<z.output<Schema>, void> {
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
    let last: z.output<Schema> | undefined;
    for await (const event of eventsOf(response, schema)) {
      yield event;
      last = event;
      if (isLast(event)) return;
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

async function* eventsOf<Schema extends z.ZodType>(
  { body }: Response,
  schema: Schema,
): AsyncGenerator<z.output<Schema>> {
  let events: z.output<Schema>[] = [];
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
