import { parseList, Token } from 'structured-headers';
import { RATE_LIMIT_HEADER, RATE_LIMIT_PARAMETERS, RATE_LIMIT_POLICY_HEADER } from '../contract/rateLimit.ts';

/** Maximum number of windows kept per connection. The documented API has three. */
const MOST_WINDOWS = 20;

/** What is known of one window; members the service did not say are left out. */
export interface RateLimitWindow {
  /** `minute`, `hour`, `day`, or whatever a newer service calls it. */
  readonly name: string;
  /** Requests that are left until the reset. */
  readonly remaining?: number;
  /** Requests per window. */
  readonly quota?: number;
  readonly windowSeconds?: number;
  /** Milliseconds since the epoch. */
  readonly resetsAt?: number;
}

/**
 * The live reading of a connection's rate limits, taken from every answer (interface document, Limits). Callers that are exempt
 * get no such headers: it stays empty.
 */
export class RateLimits {
  readonly #windows = new Map<string, RateLimitWindow>();
  readonly #listeners = new Set<() => void>();
  #lastPolicy: string | null = null;

  /** By name, in the order the service first named them. */
  get windows(): ReadonlyMap<string, RateLimitWindow> {
    return this.#windows;
  }

  /** Calls the listener after each answer that said something; the returned function ends that. */
  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Takes the reading from an answer. What cannot be understood is as if it had not been sent. */
  read(headers: Headers, now: number): void {
    const policy = headers.get(RATE_LIMIT_POLICY_HEADER);
    const state = headers.get(RATE_LIMIT_HEADER);
    // The policy is the same text in each answer.
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

  /** The windows with nothing left that have not reset yet. */
  exhausted(now: number): RateLimitWindow[] {
    return [...this.#windows.values()].filter(
      ({ remaining, resetsAt }) => remaining === 0 && resetsAt !== undefined && resetsAt > now,
    );
  }

  /** Milliseconds until no window is exhausted any more; 0 when none is. */
  waitMs(now: number): number {
    return Math.max(0, ...this.exhausted(now).map(({ resetsAt = now }) => resetsAt - now));
  }

  /** Changes what is given; what an answer leaves out stays as it was known. */
  #update(name: string, change: Readonly<Partial<Record<Measure, number | undefined>>>): void {
    if (!this.#windows.has(name) && this.#windows.size >= MOST_WINDOWS) return;
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
  // The library's types are of the browser; each value is looked at before it is used.
  let list: readonly (readonly [unknown, ReadonlyMap<string, unknown>])[];
  try {
    list = parseList(header);
  } catch {
    // A field that is not well-formed is to be ignored whole (RFC 9651, section 4.2).
    return [];
  }
  return list.flatMap(([value, parameters]) => {
    const name = value instanceof Token ? value.toString() : value;
    // An inner list, say, names no window.
    return typeof name === 'string' && name !== '' ? [{ name, parameters }] : [];
  });
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
