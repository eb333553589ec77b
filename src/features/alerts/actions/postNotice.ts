import { backoffMs } from '../../../client/retry.ts';
import type { Clock } from '../../../client/clock.ts';
import type { AlertNotice } from '../../../contract/alerts.ts';

const TIMEOUT_MS = 10_000;
/** Number of tries, within about ten minutes. */
const MAX_TRIES = 12;
const BACKOFF = { firstMs: 2_000, lastMs: 120_000 } as const;

/** Reason why a notice was not delivered. It contains no part of the address. */
export type Undelivered =
  /** The receiver refused the notice, or still returned an error at the last try. */
  { readonly kind: 'status'; readonly status: number } | { readonly kind: 'unreachable' };

export interface PostOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Called before each further try. */
  readonly onRetry: (reason: Undelivered) => void;
}

/**
 * Posts a notice until the receiver accepts it with a status of 200 to 299. Tries again after a failure of the network and an error of the
 * server. A redirect is a refusal, because its target is another receiver.
 *
 * @returns undefined once the notice is delivered
 * @throws the reason of the signal
 */
export async function postNotice(
  url: string,
  notice: AlertNotice,
  { fetch, clock, random, signal, onRetry }: PostOptions,
): Promise<Undelivered | undefined> {
  for (let tries = 1; ; tries++) {
    const failure = await post(url, notice, fetch, signal);
    if (!failure || !isPassing(failure) || tries === MAX_TRIES) return failure;
    onRetry(failure);
    await clock.sleep(backoffMs(tries - 1, random, BACKOFF), signal);
  }
}

async function post(
  url: string,
  notice: AlertNotice,
  fetch: PostOptions['fetch'],
  signal: AbortSignal,
): Promise<Undelivered | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(notice),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : { kind: 'status', status: response.status };
  } catch {
    signal.throwIfAborted();
    return { kind: 'unreachable' };
  }
}

function isPassing(failure: Undelivered): boolean {
  return failure.kind === 'unreachable' || failure.status >= 500 || failure.status === 429 || failure.status === 408;
}
