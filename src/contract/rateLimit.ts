/* Names of what the service says about rate limits (interface document, Limits; facts, section 7). */

/** Structured-field list, one member per window: what is left of it. */
export const RATE_LIMIT_HEADER = 'RateLimit';
/** Structured-field list, one member per window: how large it is. */
export const RATE_LIMIT_POLICY_HEADER = 'RateLimit-Policy';
/** Whole seconds to wait; beside a 429, and some 503. */
export const RETRY_AFTER_HEADER = 'Retry-After';

/** Parameters of the members of both lists. */
export const RATE_LIMIT_PARAMETERS = {
  /** Requests that are left, in `RateLimit`. */
  remaining: 'r',
  /** Seconds until the window resets, in `RateLimit`. */
  resetSeconds: 't',
  /** Requests per window, in `RateLimit-Policy`. */
  quota: 'q',
  /** Length of the window in seconds, in `RateLimit-Policy`. */
  windowSeconds: 'w',
} as const;

/** Windows in which requests are counted (interface document, Limits), by their lengths in seconds. */
export const RATE_LIMIT_WINDOWS = { minute: 60, hour: 3600, day: 86_400 } as const;
export type RateLimitWindowName = keyof typeof RATE_LIMIT_WINDOWS;

/** Requests per window. */
export type Quotas = Readonly<Record<RateLimitWindowName, number>>;

/** Those of the documented sample: the real ones are not public (facts, section 7). */
export const SAMPLE_QUOTAS: Quotas = { minute: 60, hour: 3000, day: 50_000 };

/**
 * Quotas of invocations, which have separate windows: a thousand times the management quotas. One minute allows more calls than the
 * queue limits of one endpoint together, so the queue limits apply first.
 */
export const INVOCATION_QUOTAS: Quotas = { minute: 60_000, hour: 3_000_000, day: 50_000_000 };

/** Window of the limits of the queue, which each operation states for a user and an endpoint (facts, section 4e). */
export const QUEUE_LIMIT_SECONDS = 10;
