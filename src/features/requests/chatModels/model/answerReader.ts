import { createParser } from 'eventsource-parser';
import { parseJson } from '../../../../contract/parsedJson.ts';
import { OpenAiWorkerError } from '../../../../contract/openAi.ts';
import { CHAT_DONE, ChatChunk, ChatChunkError, FINISH_FILTER, FINISH_LENGTH } from '../../../../contract/openAiChat.ts';
import { ChatError } from './chatError.ts';
import { ToolCalls, type ToolCall } from './toolCalls.ts';

/** Part of an answer, in the order in which parts arrive. */
export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  /** Text with which a model explains its answer first. */
  | { readonly kind: 'reasoning'; readonly text: string }
  | ({ readonly kind: 'toolCall' } & ToolCall)
  /** Number of tokens that the worker counted. */
  | { readonly kind: 'usage'; readonly prompt: number; readonly completion: number };

/** Reads the answer of an OpenAI-compatible server while it arrives: events, or one JSON object. */
export class AnswerReader {
  readonly #decoder = new TextDecoder();
  readonly #isEvents: boolean;
  readonly #parser = createParser({ onEvent: ({ data }) => this.#read(data) });
  readonly #calls = new ToolCalls();
  #json = '';
  #parts: AnswerPart[] = [];
  #error: ChatError | undefined;
  #finishReason: string | undefined;
  #hasContent = false;
  #isChat = false;

  /** @param contentType content type of the response */
  constructor(contentType: string) {
    this.#isEvents = !/\bjson\b/i.test(contentType);
  }

  /**
   * Returns the parts that a chunk of the response completes. The chunk can end anywhere, also inside a character.
   *
   * Yields the parts before an error.
   * @throws ChatError if the worker reports an error
   */
  *feed(chunk: Uint8Array): Generator<AnswerPart> {
    const text = this.#decoder.decode(chunk, { stream: true });
    if (this.#isEvents) this.#parser.feed(text);
    else this.#json += text;
    yield* this.#taken();
  }

  /**
   * Returns the last parts, after the end of the response.
   *
   * @throws ChatError if the answer is not complete
   */
  *end(): Generator<AnswerPart> {
    // The end of the response ends the last event too.
    if (this.#isEvents) this.#parser.feed('\n\n');
    else this.#read(this.#json);
    yield* this.#taken();
    if (this.#finishReason === FINISH_LENGTH) throw new ChatError('length');
    if (this.#finishReason === FINISH_FILTER) throw new ChatError('filtered');
    yield* this.#callParts();
    if (!this.#isChat) throw new ChatError('notChat');
    if (!this.#hasContent) throw new ChatError('empty');
  }

  *#taken(): Generator<AnswerPart> {
    const parts = this.#parts;
    this.#parts = [];
    yield* parts;
    if (this.#error) throw this.#error;
  }

  *#callParts(): Generator<AnswerPart> {
    for (const call of this.#calls.take()) {
      this.#hasContent = true;
      yield { kind: 'toolCall', ...call };
    }
  }

  #read(data: string): void {
    if (this.#error) return;
    if (data === CHAT_DONE) {
      this.#isChat = true;
      return;
    }
    const json = parseJson(data);
    const reason = errorOf(json);
    if (reason !== undefined) {
      this.#error = new ChatError('worker', reason);
      return;
    }
    const chunk = ChatChunk.safeParse(json).data;
    if (!chunk) return;
    this.#isChat = true;
    if (chunk.usage) {
      const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = chunk.usage;
      this.#parts.push({ kind: 'usage', prompt, completion });
    }
    for (const { index = 0, delta, message, text, finish_reason: finishReason } of chunk.choices) {
      // The request asks for one choice.
      if (index !== 0) continue;
      const content = delta ?? message;
      this.#push('reasoning', content?.reasoning_content ?? content?.reasoning);
      this.#push('text', text ?? content?.content ?? content?.refusal);
      for (const fragment of content?.tool_calls ?? []) this.#calls.add(fragment);
      this.#finishReason = finishReason ?? this.#finishReason;
    }
  }

  #push(kind: 'text' | 'reasoning', text: string | null | undefined): void {
    if (text == null || text === '') return;
    if (kind === 'text') this.#hasContent = true;
    this.#parts.push({ kind, text });
  }
}

/** Returns the message of an error that a worker sent as JSON, if it is one. */
function errorOf(json: unknown): string | undefined {
  const { data } = ChatChunkError.safeParse(json);
  if (data) return typeof data.error === 'string' ? data.error : data.error.message;
  return OpenAiWorkerError.safeParse(json).data?.message;
}
