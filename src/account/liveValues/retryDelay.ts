import type { ApiError, ErrorKind } from '../../client/apiError.ts';

/** Time in ms after which a value of the platform is outdated. */
export const STALE_MS = 300_000;

const FIRST_MS = 5_000;

/** Errors that repeat until the user changes the key or the platform. */
const LASTING: readonly ErrorKind[] = ['forbidden', 'notFound', 'validation'];

/**
 * Returns the delay in ms before a failed background read is repeated. The delay doubles with each failure, and is at least Retry-After.
 *
 * @param failures number of earlier failures in a row
 */
export function retryDelayMs({ kind, retryAfterMs = 0 }: ApiError, failures: number): number {
  const delay = LASTING.includes(kind) ? STALE_MS : Math.min(FIRST_MS * 2 ** failures, STALE_MS);
  return Math.max(delay, retryAfterMs);
}
