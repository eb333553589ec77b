import type { Clock } from './clock.ts';

/** Resolves after a time in ms, or once the signal is aborted. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  await promise;
  signal.removeEventListener('abort', onAbort);
  cancel();
}
