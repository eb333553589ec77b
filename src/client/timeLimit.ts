import type { Operation } from '../contract/operation.ts';
import { ApiError } from './apiError.ts';
import { callAfter, type Clock } from './clock.ts';

interface LimitedCall {
  /** Operation of the contract's table. */
  readonly name: string;
  readonly row: Pick<Operation, 'method' | 'path'>;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds. */
  readonly timeout: number;
}

interface TimeLimit {
  readonly signal: AbortSignal;
  /** Takes the time limit away; the caller can still cancel. */
  endTime(): void;
  /** Nobody waits any more. */
  end(): void;
}

/** A signal that is aborted, with the error to throw, when the caller cancels or the time is over. */
export function limitTime(clock: Clock, { name, row, signal, timeout }: LimitedCall): TimeLimit {
  const waiting = new AbortController();
  const endTime = callAfter(clock, timeout, () => {
    const message = `no answer within ${timeout / 1000} s to ${row.method} ${row.path}`;
    waiting.abort(new ApiError('timeout', message, { operation: name }));
  });
  const onAbort = () => waiting.abort(new ApiError('cancelled', 'cancelled', { operation: name }));
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
