import { parseJson } from '../../../../contract/parsedJson.ts';
import type { ChatDelta } from '../../../../contract/openAiChat.ts';
import { ChatError } from './chatError.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

type Fragment = NonNullable<ChatDelta['tool_calls']>[number];

interface Draft {
  id: string;
  name: string;
  text: string;
}

/** Maximum number of tool calls in an answer. Indexes come from a server. */
const MAX_CALLS = 64;

/** Assembles the tool calls of an answer from their fragments. */
export class ToolCalls {
  readonly #drafts = new Map<number, Draft>();

  /** Adds a fragment. Without an index, a new ID starts another call, and other fragments belong to the last one. */
  add({ index, id, function: part }: Fragment): void {
    const last = Math.max(-1, ...this.#drafts.keys());
    const startsAnother = id != null && id !== '' && this.#drafts.get(last)?.id !== id;
    const place = index ?? (startsAnother ? last + 1 : Math.max(last, 0));
    let draft = this.#drafts.get(place);
    if (!draft) {
      if (this.#drafts.size >= MAX_CALLS) return;
      draft = { id: '', name: '', text: '' };
      this.#drafts.set(place, draft);
    }
    if (draft.id === '') draft.id = id ?? '';
    // Some servers repeat the complete name in each fragment.
    if (draft.name !== part?.name) draft.name += part?.name ?? '';
    draft.text += part?.arguments ?? '';
  }

  /**
   * Removes and returns the calls in their order.
   *
   * @throws ChatError if the arguments of a call are not a JSON object, for example because the answer was cut
   */
  take(): ToolCall[] {
    const drafts = [...this.#drafts].sort(([a], [b]) => a - b);
    this.#drafts.clear();
    return drafts.map(([place, { id, name, text }]) => ({
      id: id === '' ? `call_${place}` : id,
      name,
      input: inputOf(name, text),
    }));
  }
}

function inputOf(name: string, text: string): object {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  // Some servers encode the arguments twice.
  const input = typeof value === 'string' ? parseJson(value) : value;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new ChatError('toolArguments', name);
  return input;
}
