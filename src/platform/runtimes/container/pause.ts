import type { Clock } from '../../time/clock.ts';

/** Resolves after `ms` milliseconds, or once the signal is aborted. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  cancel();
}
