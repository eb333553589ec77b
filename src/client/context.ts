import type { Clock } from './clock.ts';
import type { Connection } from './connection.ts';
import type { EndpointAddresses } from './endpointAddresses.ts';
import type { RateLimits } from './rateLimits.ts';

export type Fetch = typeof globalThis.fetch;

/** Somebody waits for a rate limit. */
export interface Wait {
  /** Operation of the contract's table. */
  readonly operation: string;
  readonly ms: number;
  /** The service's explanation, such as `rate limit exceeded for the minute window`. */
  readonly reason: string;
}

/** All that the calls of one client share. */
export interface RequestContext {
  readonly connection: Connection;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** From 0 to 1, as `Math.random`. */
  readonly random: () => number;
  /** Rate limits of the management plane. */
  readonly rateLimits: RateLimits;
  /** Rate limits of invocations. Their windows have the same names but are separate. */
  readonly invocationLimits: RateLimits;
  readonly addresses: EndpointAddresses;
  /** Told whenever a call waits for a rate limit. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
}
