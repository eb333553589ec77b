import * as l10n from '@vscode/l10n';
import { createParser } from 'eventsource-parser';
import { parseJson } from '../../../contract/parsedJson.ts';
import { ChatChunk, ChatChunkError } from '../../../contract/openAiChat.ts';

/* Answers of OpenAI-compatible workers that arrive as events. */

export interface ChatChoice {
  readonly text: string;
  readonly reasoning: string;
  /** Calls of tools, such as `weather({"city": "Oslo"})`. */
  readonly toolCalls: readonly string[];
  readonly finishReason: string | undefined;
}

export interface ChatAnswer {
  readonly choices: readonly ChatChoice[];
  readonly usage: { readonly prompt: number; readonly completion: number } | undefined;
  /** Error that the worker sent as an event. */
  readonly error: string | undefined;
}

interface Draft {
  text: string;
  reasoning: string;
  calls: { name: string; input: string }[];
  finishReason: string | undefined;
}

/** Maximum number of choices and of tool calls per choice. Indexes come from a server. */
const MAX_PARTS = 64;

/** Reads the events of a chat completion, complete or not. Returns undefined for events of another kind. */
export function readChat(events: string): ChatAnswer | undefined {
  const drafts: Draft[] = [];
  let usage: ChatAnswer['usage'];
  let error: string | undefined;
  let parts = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      const json = parseJson(data);
      const failure = ChatChunkError.safeParse(json);
      if (failure.success) {
        const { error: reason } = failure.data;
        error = typeof reason === 'string' ? reason : reason.message;
      }
      const chunk = ChatChunk.safeParse(json);
      if (!chunk.success) return;
      if (chunk.data.usage) {
        const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = chunk.data.usage;
        usage = { prompt, completion };
      }
      for (const { index = 0, delta, text, finish_reason: finishReason } of chunk.data.choices) {
        if (!delta && typeof text !== 'string') continue;
        parts++;
        const draft = partAt(drafts, index, () => ({ text: '', reasoning: '', calls: [], finishReason: undefined }));
        if (draft === undefined) continue;
        draft.text += text ?? delta?.content ?? delta?.refusal ?? '';
        draft.reasoning += delta?.reasoning_content ?? delta?.reasoning ?? '';
        draft.finishReason = finishReason ?? draft.finishReason;
        for (const call of delta?.tool_calls ?? []) {
          const known = partAt(draft.calls, call.index ?? 0, () => ({ name: '', input: '' }));
          if (!known) continue;
          known.name += call.function?.name ?? '';
          known.input += call.function?.arguments ?? '';
        }
      }
    },
  });
  parser.feed(events);
  if (parts === 0) return undefined;
  const choices = drafts.map(({ calls, ...draft }) => ({
    ...draft,
    toolCalls: calls.map(({ name, input }) => `${name}(${input})`),
  }));
  return { choices, usage, error };
}

function partAt<Part>(parts: Part[], index: number, create: () => Part): Part | undefined {
  if (!Number.isInteger(index) || index < 0 || index >= MAX_PARTS) return undefined;
  while (parts.length <= index) parts.push(create());
  return parts[index];
}

/** Returns an answer as text to read. The result only grows while events arrive, except for the summary after a finished answer. */
export function chatText({ choices, usage, error }: ChatAnswer, isFinished: boolean): string {
  const several = choices.length > 1;
  const parts = choices.map(({ text, reasoning, toolCalls }, index) =>
    [
      ...(several ? [l10n.t`# Choice ${index + 1}`] : []),
      ...(reasoning === '' ? [] : [`${reasoning.replaceAll(/^/gm, '> ')}\n`]),
      ...(text === '' ? [] : [text]),
      ...toolCalls.map((call) => l10n.t`# Tool call: ${call}`),
    ].join('\n'),
  );
  const reasons = [
    ...new Set(choices.map(({ finishReason }) => finishReason).filter((reason) => reason !== undefined)),
  ];
  const facts = [
    ...(reasons.length > 0
      ? [l10n.t`finish reason: ${reasons.join(', ')}`]
      : isFinished
        ? [l10n.t('no finish reason')]
        : []),
    ...(usage ? [l10n.t`${usage.prompt} prompt tokens, ${usage.completion} completion tokens`] : []),
    ...(error === undefined ? [] : [l10n.t`error: ${error.replaceAll(/\s+/g, ' ')}`]),
  ];
  if (isFinished && facts.length > 0) parts.push(`# ${facts.join(' · ')}`);
  return parts.join('\n\n');
}
