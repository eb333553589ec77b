import { systemClock, type Clock } from './clock.ts';
import type { Connection } from './connection.ts';
import { EndpointAddresses } from './endpointAddresses.ts';
import type { CallFetch } from './loopbackFetch.ts';
import { RateLimits } from './rateLimits.ts';
import type { ApiError, ErrorKind } from './apiError.ts';

export type Fetch = typeof globalThis.fetch;

/** Wait of a call for a rate limit. */
export interface Wait {
  /** ID in the operation table of the contract. */
  readonly operation: string;
  readonly ms: number;
  /** The service's explanation, such as `rate limit exceeded for the minute window`. */
  readonly reason: string;
}

/** State that all calls of a client share. */
export interface RequestContext {
  readonly connection: Connection;
  readonly fetch: Fetch;
  readonly loopbackFetch: CallFetch;
  readonly clock: Clock;
  /** Returns a number from 0 to 1, like `Math.random`. */
  readonly random: () => number;
  /** Rate limits of the management API. */
  readonly rateLimits: RateLimits;
  /** Rate limits of invocations. Their windows have the same names but are separate. */
  readonly invocationLimits: RateLimits;
  readonly health: ConnectionHealth;
  readonly addresses: EndpointAddresses;
  /** Whether the platform returns the same job for submissions with the same key. */
  readonly honorsIdempotencyKeys: boolean;
  /** Called when a call starts to wait for a rate limit. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
}

export interface ClientOptions {
  readonly connection: Connection;
  /** In VS Code, the global `fetch`, which uses the proxy and the certificates of the user. */
  readonly fetch: Fetch;
  /** Sends the calls of operations to addresses of this machine. Default: `fetch`. */
  readonly loopbackFetch?: CallFetch;
  /** Whether the platform returns the same job for submissions with the same key, as a local platform does. Default: false. */
  readonly honorsIdempotencyKeys?: boolean;
  readonly clock?: Clock;
  /** Returns a random number from 0 to 1, which spreads retries over time. */
  readonly random?: () => number;
  /** Called when a call starts to wait for a rate limit. The signal of the call ends the wait. */
  readonly onWait?: (wait: Wait) => void;
}

/** Creates the state that all calls of a client share. */
export function contextOf(options: ClientOptions): RequestContext {
  const { connection, fetch, clock = systemClock, random = Math.random, onWait } = options;
  const { honorsIdempotencyKeys = false, loopbackFetch = fetch } = options;
  const state = { rateLimits: new RateLimits(), invocationLimits: new RateLimits(), health: new ConnectionHealth() };
  const addresses = new EndpointAddresses(connection);
  return { connection, fetch, loopbackFetch, clock, random, ...state, addresses, honorsIdempotencyKeys, onWait };
}

/** Kinds of errors that affect every call of a connection. */
const FAILING: readonly ErrorKind[] = ['network', 'timeout', 'unauthorized'];

/** Whether the calls of a connection succeed. A failure that affects every call stays until the next call succeeds. */
export class ConnectionHealth {
  readonly #listeners = new Set<() => void>();
  #problem: ApiError | undefined;

  /** The latest failure that affects every call. Undefined after a success. */
  get problem(): ApiError | undefined {
    return this.#problem;
  }

  /** Calls the listener after a failure of another kind, and after the next success. Returns a function that removes the listener. */
  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Records the outcome of an attempt. Undefined means a success. Errors of a single call are ignored. */
  record(error: ApiError | undefined): void {
    if (error && !FAILING.includes(error.kind)) return;
    const before = this.#problem?.kind;
    this.#problem = error;
    if (error?.kind !== before) for (const listener of [...this.#listeners]) listener();
  }
}
