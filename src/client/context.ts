import type { Clock } from './clock.ts';
import type { Connection } from './connection.ts';
import type { ConnectionHealth } from './connectionHealth.ts';
import type { EndpointAddresses } from './endpointAddresses.ts';
import type { RateLimits } from './rateLimits.ts';

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
