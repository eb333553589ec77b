import { parseList, Token } from 'structured-headers';
import { RATE_LIMIT_HEADER, RATE_LIMIT_PARAMETERS, RATE_LIMIT_POLICY_HEADER } from '../contract/rateLimit.ts';

/** Maximum number of windows kept per connection. The documented API has three. */
const MAX_WINDOWS = 20;

/** State of a rate-limit window. Values that the service did not report are omitted. */
export interface RateLimitWindow {
  /** `minute`, `hour`, `day`, or a name of a newer service. */
  readonly name: string;
  /** Remaining requests until the reset. */
  readonly remaining?: number;
  /** Requests per window. */
  readonly quota?: number;
  readonly windowSeconds?: number;
  /** Time of the reset, in ms since the epoch. */
  readonly resetsAt?: number;
}

/**
 * Current rate limits of a connection, from the headers of every response. Responses to exempt callers have no such headers, so there are
 * no windows.
 */
export class RateLimits {
  readonly #windows = new Map<string, RateLimitWindow>();
  readonly #listeners = new Set<() => void>();
  #lastPolicy: string | null = null;

  /** Windows by name, in the order in which the service first reported them. */
  get windows(): ReadonlyMap<string, RateLimitWindow> {
    return this.#windows;
  }

  /** Calls the listener after each response with rate-limit headers. Returns a function that removes the listener. */
  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reads the headers of a response. Invalid headers are ignored. `now` is in ms since the epoch. */
  read(headers: Headers, now: number): void {
    const policy = headers.get(RATE_LIMIT_POLICY_HEADER);
    const state = headers.get(RATE_LIMIT_HEADER);
    // Most responses repeat the same policy, which need not be parsed again.
    const changed = policy !== null && policy !== this.#lastPolicy;
    if (changed) {
      this.#lastPolicy = policy;
      for (const { name, parameters } of members(policy)) {
        this.#update(name, {
          quota: count(parameters.get(RATE_LIMIT_PARAMETERS.quota)),
          windowSeconds: count(parameters.get(RATE_LIMIT_PARAMETERS.windowSeconds)),
        });
      }
    }
    if (state !== null) {
      for (const { name, parameters } of members(state)) {
        const reset = count(parameters.get(RATE_LIMIT_PARAMETERS.resetSeconds));
        this.#update(name, {
          remaining: count(parameters.get(RATE_LIMIT_PARAMETERS.remaining)),
          resetsAt: reset === undefined ? undefined : now + reset * 1000,
        });
      }
    }
    if (changed || state !== null) for (const listener of [...this.#listeners]) listener();
  }

  /** Returns the windows without remaining requests that have not reset. */
  exhausted(now: number): RateLimitWindow[] {
    return [...this.#windows.values()].filter(
      ({ remaining, resetsAt }) => remaining === 0 && resetsAt !== undefined && resetsAt > now,
    );
  }

  /** Returns the time until all exhausted windows have reset, in ms. 0 if no window is exhausted. */
  waitMs(now: number): number {
    return Math.max(0, ...this.exhausted(now).map(({ resetsAt = now }) => resetsAt - now));
  }

  /** Updates the given values of a window. Omitted values do not change. */
  #update(name: string, change: Readonly<Partial<Record<Measure, number | undefined>>>): void {
    if (!this.#windows.has(name) && this.#windows.size >= MAX_WINDOWS) return;
    const known: { -readonly [Key in keyof RateLimitWindow]: RateLimitWindow[Key] } = {
      ...this.#windows.get(name),
      name,
    };
    for (const measure of MEASURES) {
      const value = change[measure];
      if (value !== undefined) known[measure] = value;
    }
    this.#windows.set(name, known);
  }
}

const MEASURES = ['remaining', 'quota', 'windowSeconds', 'resetsAt'] as const;
type Measure = (typeof MEASURES)[number];

interface Member {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, unknown>;
}

function members(header: string): Member[] {
  // The library's types require DOM types, so each value is checked before use.
  let list: readonly (readonly [unknown, ReadonlyMap<string, unknown>])[];
  try {
    list = parseList(header);
  } catch {
    // RFC 9651, section 4.2: a malformed field is ignored as a whole.
    return [];
  }
  return list.flatMap(([value, parameters]) => {
    const name = value instanceof Token ? value.toString() : value;
    // Other values, such as inner lists, do not name a window.
    return typeof name === 'string' && name !== '' ? [{ name, parameters }] : [];
  });
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
