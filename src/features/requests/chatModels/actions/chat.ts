import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../../client/apiError.ts';
import { routeError } from '../../../../client/callRoute.ts';
import type { Client } from '../../../../client/client.ts';
import { callAfter } from '../../../../client/clock.ts';
import { CHAT_PATH, openAiBase } from '../../../../contract/openAi.ts';
import type { ChatRequestBody } from '../../../../contract/openAiChat.ts';
import { sendRequest, type ResponseEnd, type ResponseHead } from '../../actions/sendRequest.ts';
import type { WaitObserver } from '../../actions/untilWorkerReady.ts';
import { AnswerReader, type AnswerPart } from '../model/answerReader.ts';
import type { ChatModel } from '../../../../account/endpoints/chatModelStore.ts';
import { ChatError } from '../model/chatError.ts';

export interface ChatOptions {
  readonly client: Client;
  /** Cancels the request. The platform then cancels the job of a queue endpoint. */
  readonly signal: AbortSignal;
  readonly observer: WaitObserver;
}

/** Name of the operation in errors. */
const OPERATION = 'chat';

/**
 * Sends a chat to the worker of an endpoint and yields the parts of its answer as they arrive. Waits for a worker to start, at most as long
 * as the endpoint allows a request to take.
 *
 * @throws ApiError if there is no complete response
 * @throws ChatError if the endpoint is paused, and if the response is not a complete answer
 */
export async function* chat(
  { endpointId }: Pick<ChatModel, 'endpointId'>,
  body: ChatRequestBody,
  { client, signal, observer }: ChatOptions,
): AsyncGenerator<AnswerPart> {
  const { context } = client;
  const endpoint = await client.getEndpoint({ id: endpointId }, { signal });
  if (endpoint.workers.max === 0) throw new ChatError('paused');
  const endpointType = endpoint.type === 'LOAD_BALANCER' ? 'LOAD_BALANCER' : 'QUEUE';

  const abandoned = new AbortController();
  let isLate = false;
  const stopLimit = callAfter(context.clock, endpoint.timeout, () => {
    isLate = true;
    abandoned.abort();
  });
  const response = new IncomingResponse();
  const sending = sendRequest(
    {
      endpointId,
      endpointType,
      method: 'POST',
      path: openAiBase(endpointType) + CHAT_PATH,
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: JSON.stringify(body),
    },
    {
      context,
      signal: AbortSignal.any([signal, abandoned.signal]),
      timeout: endpoint.timeout,
      mayRetry: () => true,
      observer: {
        waiting: (elapsedMs) => observer.waiting(elapsedMs),
        retrying: (pauseMs) => observer.retrying(pauseMs),
        head: (head) => {
          stopLimit();
          response.head = head;
        },
        chunk: (chunk) => response.push(chunk),
      },
    },
  ).then(
    ({ end }) => response.finish(end),
    (error: unknown) => response.fail(isLate ? lateError(endpoint.timeout) : error),
  );
  try {
    yield* readAnswer(client, response);
  } finally {
    stopLimit();
    // Ends the request if the caller stops reading.
    abandoned.abort();
    await sending;
  }
}

async function* readAnswer({ context }: Client, response: IncomingResponse): AsyncGenerator<AnswerPart> {
  let reader: AnswerReader | undefined;
  const errorText: Uint8Array[] = [];
  for await (const chunk of response.chunks()) {
    const { head } = response;
    if (!head || head.status >= 400) errorText.push(chunk);
    else yield* (reader ??= new AnswerReader(contentTypeOf(head))).feed(chunk);
  }
  const { head, end } = response;
  if (!head || !end) throw new ChatError('notChat');
  if (head.status >= 400) {
    const headers = new Headers(head.headers.map(({ name, value }): [string, string] => [name, value]));
    throw routeError(context, { status: head.status, headers }, new TextDecoder().decode(Buffer.concat(errorText)));
  }
  if (end.kind !== 'complete') throw errorOfEnd(end, head.status);
  if (head.status !== 200) throw new ChatError('notChat');
  yield* (reader ?? new AnswerReader(contentTypeOf(head))).end();
}

function contentTypeOf({ headers }: ResponseHead): string {
  return headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
}

function errorOfEnd(end: Exclude<ResponseEnd, { kind: 'complete' }>, status: number): ApiError {
  const details = { operation: OPERATION, status };
  switch (end.kind) {
    case 'canceled':
      return new ApiError('canceled', 'canceled', details);
    case 'cut':
      return new ApiError(
        'network',
        l10n.t`the connection closed before the end of the answer: ${end.reason}`,
        details,
      );
    case 'tooLarge':
      return new ApiError('server', l10n.t('the answer exceeds the size limit'), { ...details, code: 'tooLarge' });
  }
}

function lateError(limitMs: number): ApiError {
  const message = l10n.t`no answer began within ${limitMs / 1000} s, which is the timeout of the endpoint`;
  return new ApiError('timeout', message, { operation: OPERATION });
}

/** A response whose chunks one side adds and the other side reads. */
class IncomingResponse {
  head: ResponseHead | undefined;
  end: ResponseEnd | undefined;
  readonly #waiting: Uint8Array[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  push(chunk: Uint8Array): void {
    this.#waiting.push(chunk);
    this.#wake();
  }

  finish(end: ResponseEnd): void {
    this.end = end;
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  /** Yields the chunks until the end of the response. @throws the error with which it failed */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      yield* this.#waiting.splice(0);
      if (this.#waiting.length > 0) continue;
      if (this.#failure) throw this.#failure.error;
      if (this.end) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
