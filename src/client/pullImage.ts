import { createParser } from 'eventsource-parser';
import { PullEvent, type PullImageBody } from '../contract/control/controlImages.ts';
import { controlOperations } from '../contract/control/controlOperations.ts';
import { ApiError, errorOfAnswer, errorOfFailure, parseJson } from './apiError.ts';
import { readBody } from './answer.ts';
import { authorizationHeaders } from './connection.ts';
import type { RequestContext } from './context.ts';
import { refuseRedirect, urlOf } from './request.ts';

const OPERATION = 'pullImage';
const ROW = controlOperations[OPERATION];
/** Maximum size of a refusal, and of an event, which contains at most the engine's explanation, in bytes. */
const LONGEST = 256 * 1024;

/**
 * Pulls an image on the engine of a local platform. Yields each event; `done` or `failed` is the last one. The signal, and the end of the
 * iteration, cancel the pull.
 *
 * @throws ApiError if the request is refused, is canceled, or ends before the last event
 */
export async function* pullImage(
  context: RequestContext,
  body: PullImageBody,
  signal: AbortSignal,
): AsyncGenerator<PullEvent, void> {
  const url = urlOf(ROW, context.connection, { parameters: {} });
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  try {
    const response = await context.fetch(url, {
      method: ROW.method,
      headers: {
        ...authorizationHeaders(context.connection),
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: either,
    });
    refuseRedirect(OPERATION, response);
    if (!response.ok) {
      const { text } = await readBody(response, either, LONGEST);
      throw errorOfAnswer(OPERATION, { status: response.status, text });
    }
    let last: PullEvent | undefined;
    for await (const event of eventsOf(response)) {
      yield event;
      last = event;
      if (event.event === 'done' || event.event === 'failed') return;
    }
    const message = last ? 'the connection closed before the end of the pull' : 'the response contains no events';
    throw new ApiError('network', message, { operation: OPERATION, status: response.status });
  } catch (failure) {
    if (signal.aborted) throw new ApiError('canceled', 'canceled', { operation: OPERATION });
    throw errorOfFailure(OPERATION, failure, url.href);
  } finally {
    ending.abort();
  }
}

async function* eventsOf({ body }: Response): AsyncGenerator<PullEvent> {
  let events: PullEvent[] = [];
  const parser = createParser({
    maxBufferSize: LONGEST,
    onEvent: ({ data }) => {
      const event = PullEvent.safeParse(parseJson(data));
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
