import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { retryUntilStored } from '../store/fullDisk.ts';
import type { Store } from '../store/store.ts';
import { Sweeper } from '../store/sweeper.ts';
import type { Clock } from '../time/clock.ts';
import { BATCH_SIZE, type JobChanges } from './jobChanges.ts';

/** Purges of queues, in short transactions. The store keeps a purge until no job is left, so that it continues after a restart. */
export class JobPurges {
  readonly #store: Store;
  readonly #realClock: Clock;
  readonly #changes: JobChanges;
  /** Continues the purges of an earlier platform. */
  readonly #earlier: Sweeper;
  #closed = false;

  constructor(store: Store, realClock: Clock, changes: JobChanges) {
    this.#store = store;
    this.#realClock = realClock;
    this.#changes = changes;
    this.#earlier = new Sweeper(realClock, () => this.#continue(), store);
  }

  /** Cancels all jobs that are waiting now, and resolves with their number. */
  async purge(endpointId: string): Promise<number> {
    // After the clock is set back, the queue times of jobs can be in the future.
    const queuedBy = this.#store.jobs.lastQueuedAt(endpointId);
    let { canceled: removed, ended } = this.#purgePart(endpointId, queuedBy);
    const purgeNext = (): void => {
      const part = this.#purgePart(endpointId, queuedBy);
      removed += part.canceled;
      ended = part.ended;
    };
    while (!ended) {
      await yieldToEventLoop();
      if (this.#closed) break;
      await retryUntilStored(this.#realClock, purgeNext, () => !this.#closed);
    }
    return removed;
  }

  /** Cancels some waiting jobs of a purge. */
  #purgePart(endpointId: string, queuedBy: number): { canceled: number; ended: boolean } {
    return this.#store.transaction(() => {
      const ids = this.#store.jobs.ids(endpointId, 'IN_QUEUE', { queuedBy, limit: BATCH_SIZE });
      const ended = ids.length < BATCH_SIZE;
      if (ended) this.#store.jobs.endPurge(endpointId);
      else this.#store.jobs.beginPurge(endpointId, queuedBy);
      return { canceled: this.#changes.applyAll(endpointId, ids, { kind: 'canceled' }).length, ended };
    });
  }

  /** Continues a part of a purge that an earlier platform began. Returns false if there is none. */
  #continue(): boolean {
    const [purge] = this.#store.jobs.purging();
    if (purge) this.#purgePart(purge.endpointId, purge.queuedBy);
    return purge !== undefined;
  }

  /** Continues the purges of an earlier platform. */
  recover(): void {
    this.#earlier.wake();
  }

  close(): void {
    this.#closed = true;
    this.#earlier.close();
  }
}
