import { ApiError } from './apiError.ts';
import { callAfter, type Clock } from './clock.ts';

interface LimitedCall {
  /** ID in the operation table of the contract. */
  readonly name: string;
  readonly row: { readonly method: string; readonly path: string };
  readonly signal: AbortSignal | undefined;
  /** Time limit in ms. */
  readonly timeout: number;
}

interface TimeLimit {
  readonly signal: AbortSignal;
  /** Removes the time limit. The caller can still cancel. */
  endTime(): void;
  /** Releases the timer and the listener. */
  end(): void;
}

/** Returns a signal that is aborted when the caller cancels or the time limit passes. Its reason is the `ApiError` to throw. */
export function limitTime(clock: Clock, { name, row, signal, timeout }: LimitedCall): TimeLimit {
  const waiting = new AbortController();
  const endTime = callAfter(clock, timeout, () => {
    const message = `no response to ${row.method} ${row.path} within ${timeout / 1000} s`;
    waiting.abort(new ApiError('timeout', message, { operation: name }));
  });
  const onAbort = () => waiting.abort(new ApiError('canceled', 'canceled', { operation: name }));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: waiting.signal,
    endTime,
    end: () => {
      signal?.removeEventListener('abort', onAbort);
      endTime();
    },
  };
}
