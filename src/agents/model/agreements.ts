import type { Confirmation } from '../actions/agentTool.ts';

/** Maximum number of calls whose agreements are kept. */
const MAX_KEPT = 100;

/** A question before a call, or undefined for none. */
interface Asked {
  readonly confirmation: Confirmation | undefined;
  /** Number of calls that were announced with this question and have not run. */
  calls: number;
}

/**
 * What the user was asked for each call. The editor asks between two requests to the extension, which have only the arguments in common.
 * The agreement lets the second request refuse a call that would now do something else.
 */
export class Agreements {
  readonly #kept = new Map<string, Asked[]>();

  /** Remembers what the user is asked before a call with these arguments. Undefined: nothing. */
  put(tool: string, input: unknown, confirmation: Confirmation | undefined): void {
    const key = keyOf(tool, input);
    const asked = this.#kept.get(key) ?? [];
    const same = asked.find((one) => sameConfirmation(one.confirmation, confirmation));
    if (same) same.calls += 1;
    // Two different questions are already too many.
    else if (asked.length < 2) asked.push({ confirmation, calls: 1 });
    this.#kept.delete(key);
    this.#kept.set(key, asked);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  /**
   * Removes and returns what the user was asked. Undefined if there was no question, and if calls with the same arguments had different
   * questions, because it is not known which one the user agreed to.
   */
  take(tool: string, input: unknown): Confirmation | undefined {
    const key = keyOf(tool, input);
    const [asked, ...others] = this.#kept.get(key) ?? [];
    if (!asked || others.length > 0 || asked.calls === 1) this.#kept.delete(key);
    else asked.calls -= 1;
    return others.length > 0 ? undefined : asked?.confirmation;
  }
}

/** Returns whether two calls do the same, as far as the user was told. */
export function sameConfirmation(one: Confirmation | undefined, other: Confirmation | undefined): boolean {
  return one?.title === other?.title && one?.detail === other?.detail && one?.content === other?.content;
}

function keyOf(tool: string, input: unknown): string {
  return `${tool} ${JSON.stringify(input)}`;
}
