import type { Confirmation } from '../actions/agentTool.ts';

/** Maximum number of calls whose agreements are kept. */
const MAX_KEPT = 100;

/**
 * What the user was asked for each call. The editor asks between two requests to the extension, which have only the arguments in common.
 * The agreement lets the second request refuse a call that would now do something else.
 */
export class Agreements {
  readonly #kept = new Map<string, Confirmation | undefined>();

  /** Remembers what the user is asked before a call with these arguments. Undefined: nothing. */
  put(tool: string, input: unknown, confirmation: Confirmation | undefined): void {
    const key = keyOf(tool, input);
    this.#kept.delete(key);
    this.#kept.set(key, confirmation);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Returns what the user was asked. Undefined also if there was no question. */
  find(tool: string, input: unknown): Confirmation | undefined {
    return this.#kept.get(keyOf(tool, input));
  }
}

function keyOf(tool: string, input: unknown): string {
  return `${tool} ${JSON.stringify(input)}`;
}
