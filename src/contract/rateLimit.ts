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
