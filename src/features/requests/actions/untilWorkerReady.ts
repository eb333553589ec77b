import { ApiError, parseRetryAfter } from '../../../client/apiError.ts';
import { balancerError } from '../../../client/callRoute.ts';
import type { RequestContext } from '../../../client/context.ts';
import { RETRY_AFTER_HEADER } from '../../../contract/rateLimit.ts';
import { NO_WORKERS } from '../../../contract/route.ts';

/** Receives the state of a request that waits for a worker. */
export interface WaitObserver {
  /** Called immediately, and every second until the response begins. @param elapsedMs time since the first attempt */
  waiting(elapsedMs: number): void;
  /** Called when no worker became ready in time. The request is sent again after a pause. */
  retrying(pauseMs: number): void;
}

export interface WaitOptions {
  readonly context: RequestContext;
  readonly signal: AbortSignal;
  /** Timeout of the endpoint in ms, if it is known. */
  readonly timeout?: number | undefined;
  readonly observer: WaitObserver;
  /** Returns whether a worker can become ready, for example because the endpoint is not paused. */
  readonly mayRetry: () => boolean;
}

/** Result of an attempt. `pauseMs` is the pause before the next one, if no worker was ready. */
export interface Attempt<Result> {
  readonly result: Result;
  readonly pauseMs: number | undefined;
}

const TICK_MS = 1_000;
/** Pause before the next attempt if the load balancer names none, in ms. */
const PAUSE_MS = 5_000;

/**
 * Repeats an attempt while no worker is ready. No worker has received the request, so this is safe for each method.
 *
 * @throws ApiError of kind `canceled` if the signal is aborted during a pause
 */
export async function untilWorkerReady<Result>(
  { context, signal, observer, mayRetry }: WaitOptions,
  attempt: () => Promise<Attempt<Result>>,
): Promise<Result> {
  const startedAt = context.clock.now();
  const begun = new AbortController();
  let isPausing = false;
  const ticking = tick(context, begun.signal, () => {
    if (!isPausing) observer.waiting(context.clock.now() - startedAt);
  });
  try {
    for (;;) {
      const { result, pauseMs } = await attempt();
      if (pauseMs === undefined || signal.aborted || !mayRetry()) return result;
      isPausing = true;
      observer.retrying(pauseMs);
      await pause(context, pauseMs, signal);
      isPausing = false;
    }
  } finally {
    begun.abort();
    await ticking;
  }
}

/** Returns the pause before the next attempt, in ms, if a response means that no worker is ready. */
export function pauseAfter(
  { clock }: Pick<RequestContext, 'clock'>,
  headers: Headers,
  text: string,
): number | undefined {
  if (balancerError(headers, text) !== NO_WORKERS) return undefined;
  return parseRetryAfter(headers.get(RETRY_AFTER_HEADER), clock.now()) ?? PAUSE_MS;
}

async function pause({ clock }: RequestContext, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch {
    throw new ApiError('canceled', 'canceled', { operation: 'callRoute' });
  }
}

async function tick({ clock }: RequestContext, signal: AbortSignal, task: () => void): Promise<void> {
  try {
    for (;;) {
      task();
      await clock.sleep(TICK_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
