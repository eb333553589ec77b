/* Names of headers and parameters that describe rate limits. */

/** Header with the remaining requests of each window, as a structured-field list. */
export const RATE_LIMIT_HEADER = 'RateLimit';
/** Header with the quota of each window, as a structured-field list. */
export const RATE_LIMIT_POLICY_HEADER = 'RateLimit-Policy';
/** Header of 429 and some 5xx responses. Its value is the time to wait, in whole seconds. */
export const RETRY_AFTER_HEADER = 'Retry-After';

/** Parameters of the members of both lists. */
export const RATE_LIMIT_PARAMETERS = {
  /** Remaining requests, in `RateLimit`. */
  remaining: 'r',
  /** Seconds until the window resets, in `RateLimit`. */
  resetSeconds: 't',
  /** Requests per window, in `RateLimit-Policy`. */
  quota: 'q',
  /** Length of the window in seconds, in `RateLimit-Policy`. */
  windowSeconds: 'w',
} as const;

/** Lengths of the rate-limit windows, in seconds. */
export const RATE_LIMIT_WINDOWS = { minute: 60, hour: 3600, day: 86_400 } as const;
export type RateLimitWindowName = keyof typeof RATE_LIMIT_WINDOWS;

/** Requests per window. */
export type Quotas = Readonly<Record<RateLimitWindowName, number>>;

/** Quotas of the sample in the public documentation. The real quotas are not public. */
export const SAMPLE_QUOTAS: Quotas = { minute: 60, hour: 3000, day: 50_000 };

/**
 * Quotas of invocations, which have separate windows: a thousand times the management quotas. One minute allows more calls than all
 * queue limits of an endpoint combined, so the queue limits apply first.
 */
export const INVOCATION_QUOTAS: Quotas = { minute: 60_000, hour: 3_000_000, day: 50_000_000 };

/** Length of the window for `Operation.limit`, in seconds. */
export const QUEUE_LIMIT_SECONDS = 10;
