import type {
  ChatContentPart,
  ChatMessage,
  ChatRequestBody,
  ChatTool,
  ChatToolCall,
} from '../../../../contract/openAiChat.ts';
import { ChatError } from './chatError.ts';

/* Messages of a chat, independent of the editor and of the wire format. */

export type TurnPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mimeType: string; readonly bytes: Uint8Array }
  | { readonly kind: 'toolCall'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: 'toolResult'; readonly callId: string; readonly text: string };

export interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly TurnPart[];
  readonly name?: string | undefined;
}

/** A tool that the model can call. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the input. Undefined for a tool without input. */
  readonly inputSchema?: object | undefined;
}

export interface ChatRequest {
  readonly modelId: string;
  readonly imageInput: boolean;
  readonly turns: readonly ChatTurn[];
  readonly tools?: readonly OfferedTool[];
  /** Whether the answer must call a tool. */
  readonly toolRequired?: boolean;
  /** Further fields of the body, such as `temperature`. They do not replace the fields that this function sets. */
  readonly modelOptions?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Creates the body of a request whose answer arrives as events.
 *
 * @throws ChatError for an image that the model does not accept
 */
export function requestBody({ modelId, imageInput, turns, tools = [], ...options }: ChatRequest): ChatRequestBody {
  return {
    ...options.modelOptions,
    model: modelId,
    messages: turns.flatMap((turn) => messagesOf(turn, imageInput)),
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    // The default is `auto`. Some servers reject the value if they were started without support for tools.
    ...(tools.length > 0 && options.toolRequired ? { tool_choice: 'required' } : {}),
  };
}

/** Converts a turn. Results of tools become separate messages, which must directly follow the message with the calls. */
function messagesOf({ role, parts, name }: ChatTurn, imageInput: boolean): ChatMessage[] {
  if (role === 'assistant') return [assistantMessage(parts)];
  const results = parts.flatMap((part): ChatMessage[] =>
    part.kind === 'toolResult' ? [{ role: 'tool', content: part.text, tool_call_id: part.callId }] : [],
  );
  const content = contentOf(parts, imageInput);
  if (content.length === 0 && results.length > 0) return results;
  const named = name === undefined ? {} : { name };
  return [...results, { role, content: simplified(content), ...named }];
}

function assistantMessage(parts: readonly TurnPart[]): ChatMessage {
  const calls = parts.flatMap((part): ChatToolCall[] =>
    part.kind === 'toolCall'
      ? [{ id: part.id, type: 'function', function: { name: part.name, arguments: JSON.stringify(part.input) } }]
      : [],
  );
  const text = textOf(parts);
  if (calls.length === 0) return { role: 'assistant', content: text };
  return { role: 'assistant', content: text === '' ? null : text, tool_calls: calls };
}

function contentOf(parts: readonly TurnPart[], imageInput: boolean): ChatContentPart[] {
  return parts.flatMap((part): ChatContentPart[] => {
    if (part.kind === 'text') return [{ type: 'text', text: part.text }];
    if (part.kind !== 'image') return [];
    if (!imageInput) throw new ChatError('images', part.mimeType);
    const url = `data:${part.mimeType};base64,${Buffer.from(part.bytes).toString('base64')}`;
    return [{ type: 'image_url', image_url: { url } }];
  });
}

/** Joins content without images to one text, because many servers accept only text. */
function simplified(content: readonly ChatContentPart[]): string | readonly ChatContentPart[] {
  return content.some(({ type }) => type === 'image_url')
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns the text of parts, without images and tool calls. */
function textOf(parts: readonly TurnPart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

function toolOf({ name, description, inputSchema }: OfferedTool): ChatTool {
  const parameters = inputSchema ?? { type: 'object', properties: {} };
  return { type: 'function', function: { name, description, parameters } };
}
