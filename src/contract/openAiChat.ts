import * as z from 'zod';

/*
 * Chats and models of the OpenAI-compatible API. Workers implement different parts of it, so the schemas accept unknown fields, and null for
 * each absent one.
 */

/** Path of a server's tokenizer, below the base address of an endpoint. Common servers offer it without the version segment. */
export const TOKENIZE_PATH = '/tokenize';

const positive = z.int().positive().nullish().catch(undefined);

/** A model of a worker. Servers have different names for the size of the context. */
export const OpenAiModel = z.looseObject({
  id: z.string(),
  /** Maximum number of tokens of a prompt and its answer together. */
  max_model_len: positive,
  context_length: positive,
  max_context_length: positive,
  architecture: z
    .looseObject({ input_modalities: z.array(z.string()).nullish() })
    .nullish()
    .catch(undefined),
  /** Names of request fields that the model accepts, such as `tools`. */
  supported_parameters: z.array(z.string()).nullish().catch(undefined),
});
export type OpenAiModel = z.infer<typeof OpenAiModel>;

export const OpenAiModelList = z.looseObject({ data: z.array(OpenAiModel) });

/** Part of the content of a message. */
export type ChatContentPart =
  | { readonly type: 'text'; readonly text: string }
  /** The URL of an image can be a data URL. */
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/** Call of a tool in a message of the assistant. `arguments` is JSON. */
export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string | readonly ChatContentPart[]; readonly name?: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly ChatToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string };

/** Tool that a request offers to a model. `parameters` is a JSON schema. */
export interface ChatTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object };
}

/** Body of a request for an answer that arrives as events. */
export interface ChatRequestBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream: true;
  readonly stream_options: { readonly include_usage: true };
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: 'auto' | 'required';
}

const ToolCallDelta = z.looseObject({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

const Delta = z.looseObject({
  content: z.string().nullish(),
  /** Text of models that explain their answer first. Servers use either name. */
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(ToolCallDelta).nullish(),
});
export type ChatDelta = z.infer<typeof Delta>;

/** An event of an answer, or a complete answer, which has `message` instead of `delta`. */
export const ChatChunk = z.looseObject({
  choices: z.array(
    z.looseObject({
      index: z.number().optional(),
      delta: Delta.nullish(),
      message: Delta.nullish(),
      /** Text of the older route `/v1/completions`. */
      text: z.string().nullish(),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: z
    .looseObject({ prompt_tokens: z.number().optional(), completion_tokens: z.number().optional() })
    .nullish()
    .catch(undefined),
});

/** Error that a worker sends as an event, or as the body of a response. */
export const ChatChunkError = z.looseObject({
  error: z.union([z.string(), z.looseObject({ message: z.string() })]),
});

/** Reasons for the end of an answer that need an explanation. Others, such as `stop` and `tool_calls`, are normal. */
export const FINISH_LENGTH = 'length';
export const FINISH_FILTER = 'content_filter';

/** Text of the event after the last one. */
export const CHAT_DONE = '[DONE]';

/** Response of a server's tokenizer. */
export const TokenizeAnswer = z.looseObject({ count: z.int().nonnegative() });
