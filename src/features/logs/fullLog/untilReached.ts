import { callAfter, type Clock } from '../../../client/clock.ts';
import { includesWorker, type LogSubject } from '../model/logSubject.ts';
import type { FullLogSource } from './fullLogSource.ts';
import type { FullLogStore } from './fullLogStore.ts';

/** Maximum time in ms. The log of an ended worker can end before the wanted time. */
const MAX_WAIT_MS = 3_000;

interface Sources {
  readonly clock: Clock;
  readonly source: Pick<FullLogSource, 'onDidChange'>;
  readonly store: Pick<FullLogStore, 'use'>;
}

/**
 * Resolves once the stored log has a line at or after a time, or after a time limit. The stream of a visible log brings the lines.
 *
 * @param at in ms since the epoch
 */
export async function untilReached({ clock, source, store }: Sources, subject: LogSubject, at: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = (): void => {
    store.use(subject, (pages) => pages.lineOfTime(at)).then((line) => line && resolve(), reject);
  };
  const subscription = source.onDidChange((worker) => {
    if (includesWorker(subject, worker)) look();
  });
  const cancel = callAfter(clock, MAX_WAIT_MS, resolve);
  try {
    look();
    await promise;
  } finally {
    cancel();
    subscription.dispose();
  }
}
