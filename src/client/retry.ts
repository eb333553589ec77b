import type { Method } from '../contract/operation.ts';
import { ApiError } from './apiError.ts';
import type { RequestContext } from './context.ts';
import type { RateLimits } from './rateLimits.ts';

/** Default maximum number of retries of a call, and of its waits for a rate limit. */
export const DEFAULT_RETRIES = 3;
export const DEFAULT_WAITS = 3;
/** Maximum wait in ms, which covers the hour window. A call that would wait for the day window fails instead. */
const LONGEST_WAIT_MS = 3_600_000 + 60_000;

export interface Backoff {
  readonly firstMs: number;
  readonly lastMs: number;
}

const REQUEST_BACKOFF: Backoff = { firstMs: 300, lastMs: 5_000 };

/** Returns a random delay in ms below a bound that doubles with each failure (exponential backoff with full jitter). */
export function backoffMs(failures: number, random: () => number, { firstMs, lastMs } = REQUEST_BACKOFF): number {
  return random() * Math.min(firstMs * 2 ** failures, lastMs);
}

/** Operations for which the method does not determine whether a repetition is safe. */
const exceptions: Readonly<Record<string, boolean>> = {
  // A lost cancellation costs money, and a second one has no effect.
  cancelJob: true,
  // The service returns each chunk once. A second call would hide the loss of the first call's chunks.
  streamJob: false,
  // purgeQueue and retryJob are not repeatable: a second purge removes later jobs, and a second retry runs the job again.
};

/** Returns true for an idempotent operation, which can be repeated after an unknown outcome. */
export function isRepeatable(operation: string, method: Method): boolean {
  return exceptions[operation] ?? (method === 'GET' || method === 'PUT' || method === 'DELETE');
}

/** Returns true for a temporary failure. The client's own time limit is not one, because it limits the call. */
function isPassing({ kind, status = 0 }: ApiError): boolean {
  return kind === 'network' || status >= 500 || status === 408;
}

/**
 * Computes how long to wait after a refused call: the longer of Retry-After and the latest reset of an exhausted window.
 *
 * @param limits the rate limits that count the call
 */
export function refusalWaitMs(
  context: Pick<RequestContext, 'clock' | 'random'>,
  limits: RateLimits,
  refusal: ApiError,
  refusals: number,
): number {
  const requestedMs = Math.max(refusal.retryAfterMs ?? 0, limits.waitMs(context.clock.now()));
  return requestedMs > 0 ? requestedMs : backoffMs(refusals, context.random, { firstMs: 1_000, lastMs: 30_000 });
}

/** Clock, jitter, and reports of waits. */
type RetryContext = Pick<RequestContext, 'clock' | 'random' | 'onWait'>;

interface RetryOptions {
  readonly operation: string;
  /** Rate limits that count the call. */
  readonly limits: RateLimits;
  readonly repeatable: boolean;
  /** Whether a repeatable call is also repeated after the client's own time limit. Default: false. */
  readonly repeatsTimeouts?: boolean;
  readonly retries: number;
  readonly waits: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Repeats a call until it succeeds. A call with a 429 was not executed, so it is always repeated after its wait. After other temporary
 * failures, only a repeatable call is repeated.
 *
 * @throws ApiError of the last attempt, or of kind `canceled`
 */
export async function withRetries<Answer>(
  context: RetryContext,
  { operation, limits, repeatable, repeatsTimeouts = false, retries, waits: mostWaits, signal }: RetryOptions,
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
        const passes = isPassing(error) || (repeatsTimeouts && error.kind === 'timeout');
        if (!repeatable || !passes || failures >= retries) throw error;
        ms = Math.max(backoffMs(failures++, context.random), error.retryAfterMs ?? 0);
        if (ms > LONGEST_WAIT_MS) throw error;
      }
      await pause(context, operation, ms, signal);
    }
  }
}

/** Waits that many milliseconds. @throws ApiError of kind `canceled` if the signal is aborted */
export async function pause(
  { clock }: Pick<RequestContext, 'clock'>,
  operation: string,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await clock.sleep(ms, signal).catch((reason: unknown) => {
    throw new ApiError('canceled', 'canceled', { operation, cause: reason });
  });
}
