import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { replyTo, textOf, tokensOf } from './rules.mjs';

/* The OpenAI-compatible API, independent of the transport. */

const MODEL = 'rules';
/** Agents send prompts of more than 10,000 tokens, so a model needs a long context. */
const CONTEXT_LENGTH = 131072;
const MAX_ANSWER_TOKENS = 4096;
const { TOKEN_MS = '30' } = process.env;

/** An error with an HTTP status. */
export class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }

  /** Body of the response. */
  get body() {
    return { error: { message: this.message, type: this.status < 500 ? 'invalid_request_error' : 'server_error' } };
  }
}

/** Response to GET /v1/models. */
export function models() {
  const description = 'Not a language model: its answers follow fixed rules.';
  return {
    object: 'list',
    data: [{ id: MODEL, object: 'model', owned_by: 'sample', max_model_len: CONTEXT_LENGTH, description }],
  };
}

/** Response to POST /tokenize. */
export function tokenize({ prompt = '' }) {
  return { count: tokensOf(prompt).length, max_model_len: CONTEXT_LENGTH };
}

/**
 * Yields the events of POST /v1/chat/completions. Ends early when the signal is aborted.
 *
 * @throws RequestError
 */
export async function* chunksOf(body, signal) {
  check(body);
  const head = { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion.chunk', created: seconds(), model: MODEL };
  const chunk = (delta, finishReason = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  yield chunk({ role: 'assistant', content: '' });

  const reply = replyTo(body);
  let count = 0;
  let finish = 'stop';
  if (reply.call) {
    const id = `call_${randomUUID()}`;
    yield chunk({
      tool_calls: [{ index: 0, id, type: 'function', function: { name: reply.call.name, arguments: '' } }],
    });
    // Models produce the arguments piece by piece too.
    for (const piece of reply.call.arguments.match(/.{1,8}/gs) ?? []) {
      await pause(signal);
      count++;
      yield chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    }
    finish = 'tool_calls';
  } else {
    const { text = 'This answer ends with an error.' } = reply;
    const limit = body.max_completion_tokens ?? body.max_tokens ?? MAX_ANSWER_TOKENS;
    for (const token of tokensOf(untilStop(text, body.stop))) {
      if (count === limit) {
        finish = 'length';
        break;
      }
      await pause(signal);
      count++;
      yield chunk({ content: token });
    }
  }
  if (reply.error) throw new RequestError(500, reply.error);
  yield chunk({}, finish);
  if (body.stream_options?.include_usage || !body.stream) yield { ...head, choices: [], usage: usageOf(body, count) };
}

/** Response to POST /v1/chat/completions without `stream`. @throws RequestError */
export async function completion(body, signal) {
  let content = '';
  const calls = [];
  const end = {};
  for await (const { id, created, model, choices, usage } of chunksOf(body, signal)) {
    Object.assign(end, { id, object: 'chat.completion', created, model }, usage && { usage });
    for (const { delta, finish_reason: reason } of choices) {
      content += delta.content ?? '';
      for (const { index, ...call } of delta.tool_calls ?? []) {
        if (calls[index]) calls[index].function.arguments += call.function.arguments;
        else calls[index] = call;
      }
      if (reason) end.finish_reason = reason;
    }
  }
  const { finish_reason, ...rest } = end;
  const message = { role: 'assistant', content: content || null, ...(calls.length > 0 && { tool_calls: calls }) };
  return { ...rest, choices: [{ index: 0, message, finish_reason }] };
}

function check({ model = MODEL, messages }) {
  if (model !== MODEL) throw new RequestError(404, `the model ${model} does not exist`);
  if (!Array.isArray(messages) || messages.length === 0)
    throw new RequestError(400, 'messages must be a list with items');
}

/** Cuts a text before the first stop sequence. */
function untilStop(text, stop) {
  const ends = [stop ?? []].flat().map((sequence) => text.indexOf(sequence));
  const end = Math.min(...ends.filter((index) => index !== -1));
  return end === Infinity ? text : text.slice(0, end);
}

function usageOf({ messages }, completionTokens) {
  const promptTokens = messages.reduce((sum, message) => sum + tokensOf(textOf(message)).length, 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** Waits as long as a model computes a token. @throws AbortError */
const pause = (signal) => sleep(Number(TOKEN_MS), undefined, { signal });
const seconds = () => Math.floor(Date.now() / 1000);
