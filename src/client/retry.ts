import type { Method } from '../contract/operation.ts';
import { ApiError } from './apiError.ts';
import type { RequestContext } from './context.ts';
import type { RateLimits } from './rateLimits.ts';

/** How often a call that failed is sent again, and how often one call waits for a rate limit. */
export const DEFAULT_RETRIES = 3;
export const DEFAULT_WAITS = 3;
/** The longest window anybody waits for is the hour; one that waits for a day is told so instead. */
const LONGEST_WAIT_MS = 3_600_000 + 60_000;

export interface Backoff {
  readonly firstMs: number;
  readonly lastMs: number;
}

const REQUEST_BACKOFF: Backoff = { firstMs: 300, lastMs: 5_000 };

/** A random time below a bound that doubles (exponential backoff, full jitter), in milliseconds. */
export function backoffMs(failures: number, random: () => number, { firstMs, lastMs } = REQUEST_BACKOFF): number {
  return random() * Math.min(firstMs * 2 ** failures, lastMs);
}

/** Operations whose method does not tell whether they may be sent twice. */
const exceptions: Readonly<Record<string, boolean>> = {
  // What is asked for is a state; a cancel that got lost costs money. A job that is cancelled already is refused, harmlessly.
  cancelJob: true,
  // Each chunk is handed out once: a second call would hide that those of the first are lost.
  streamJob: false,
  // purgeQueue and retryJob are not here: a second purge takes jobs submitted since, a second retry runs the job again.
};

/** Whether sending it twice does what sending it once does, so that it may be repeated when its fate is unknown. */
export function isRepeatable(operation: string, method: Method): boolean {
  return exceptions[operation] ?? (method === 'GET' || method === 'PUT' || method === 'DELETE');
}

/** Whether this may pass by itself. Our own time limit is none of it: it was the limit for the call. */
function isPassing({ kind, status = 0 }: ApiError): boolean {
  return kind === 'network' || status >= 500 || status === 408;
}

/**
 * Computes how long to wait after a refused call: the longer of Retry-After and the latest reset of an exhausted window.
 *
 * @param limits the rate limits that count the call
 */
export function refusalWaitMs(
  context: RequestContext,
  limits: RateLimits,
  refusal: ApiError,
  refusals: number,
): number {
  const told = Math.max(refusal.retryAfterMs ?? 0, limits.waitMs(context.clock.now()));
  return told > 0 ? told : backoffMs(refusals, context.random, { firstMs: 1_000, lastMs: 30_000 });
}

interface RetryOptions {
  readonly operation: string;
  /** Rate limits that count the call. */
  readonly limits: RateLimits;
  readonly repeatable: boolean;
  readonly retries: number;
  readonly waits: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Calls until it succeeds. A 429 was not executed: whatever it was, it is sent again after its wait. Other failures that may pass
 * are repeated where that does no harm.
 *
 * @throws ApiError of the last attempt, or of kind `cancelled`
 */
export async function withRetries<Answer>(
  context: RequestContext,
  { operation, limits, repeatable, retries, waits: mostWaits, signal }: RetryOptions,
  attempt: (failures: number) => Promise<Answer>,
): Promise<Answer> {
  let failures = 0;
  let waits = 0;
  for (;;) {
    try {
      return await attempt(failures);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      let ms: number;
      if (error.kind === 'rateLimited') {
        ms = refusalWaitMs(context, limits, error, waits);
        if (++waits > mostWaits || ms > LONGEST_WAIT_MS) throw error;
        context.onWait?.({ operation, ms, reason: error.message });
      } else {
        if (!repeatable || !isPassing(error) || failures >= retries) throw error;
        ms = Math.max(backoffMs(failures++, context.random), error.retryAfterMs ?? 0);
        if (ms > LONGEST_WAIT_MS) throw error;
      }
      await pause(context, operation, ms, signal);
    }
  }
}

/** @throws ApiError of kind `cancelled` when the signal is aborted */
export async function pause(
  { clock }: Pick<RequestContext, 'clock'>,
  operation: string,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await clock.sleep(ms, signal).catch((reason: unknown) => {
    throw new ApiError('cancelled', 'cancelled', { operation, cause: reason });
  });
}
