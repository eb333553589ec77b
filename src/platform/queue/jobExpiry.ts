import type { JobRecord } from '../domain/job.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';
import { BATCH_SIZE, type JobChanges } from './jobChanges.ts';

const MAX_SLEEP_MS = 3_600_000;

interface ExpiryContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly changes: JobChanges;
  /** Called when a job expired before it ended. The job is already deleted. */
  readonly onExpired: (job: JobRecord) => void;
}

/** Deletes jobs that have expired, or whose endpoint is deleted. Unfinished jobs end first, so that their listeners are notified. */
export class JobExpiry {
  readonly #context: ExpiryContext;
  #nextSweep = Infinity;
  #cancelSweep: (() => void) | undefined;
  #closed = false;

  constructor(context: ExpiryContext) {
    this.#context = context;
  }

  /** Deletes expired jobs, and schedules the next run. */
  watch(): void {
    if (this.#closed) return;
    const { store, clock } = this.#context;
    const now = clock.now();
    this.remove(store.jobs.expired(now, BATCH_SIZE));
    this.#nextSweep = Infinity;
    this.expectBy(Math.min(store.jobs.nextExpiry() ?? Infinity, now + MAX_SLEEP_MS));
  }

  /** Runs again at a time at the latest, because a job expires then. */
  expectBy(time: number): void {
    if (this.#closed || time >= this.#nextSweep) return;
    const { clock } = this.#context;
    this.#nextSweep = time;
    this.#cancelSweep?.();
    this.#cancelSweep = clock.after(Math.max(0, time - clock.now()), () => this.watch());
  }

  /** Deletes the job with a key if it has expired, so that the key can be used again. */
  removeIfExpired(endpointId: string, key: string): void {
    const { store, clock } = this.#context;
    const earlier = store.jobs.withKey(endpointId, key);
    const job = earlier && store.jobs.get(endpointId, earlier.id);
    if (job && job.expiresAt <= clock.now()) this.remove([job]);
  }

  /** Removes some jobs of a deleted endpoint in a short transaction. See `JobQueue.removeDeleted`. */
  removeDeleted(endpointId: string, waitedFor: string[]): boolean {
    const { jobs } = this.#context.store;
    const unfinished =
      waitedFor.length > 0
        ? waitedFor.splice(0, BATCH_SIZE).map((id) => ({ id, endpointId }))
        : jobs.unfinishedRemoved(endpointId);
    if (unfinished.length === 0) return jobs.deleteRemoved(endpointId);
    this.remove(unfinished);
    return true;
  }

  /** Ends jobs that have expired, or whose endpoint is deleted, and deletes them. */
  remove(expired: readonly Pick<JobRecord, 'id' | 'endpointId'>[]): void {
    const { store, changes, onExpired } = this.#context;
    store.transaction((transaction) => {
      const unfinished = expired.flatMap(({ id, endpointId }) => {
        const ended = changes.change(endpointId, id, { kind: 'expired' }) ?? this.#cancelRemoved(id);
        store.jobs.delete(id);
        return ended ?? [];
      });
      transaction.afterCommit(() => {
        changes.notifyAll(unfinished);
        for (const job of unfinished) onExpired(job);
      });
    });
  }

  /** Cancels an unfinished job of a deleted endpoint. Must be called in a transaction. */
  #cancelRemoved(id: string): JobRecord | undefined {
    const job = this.#context.store.jobs.getRemoved(id);
    return job && this.#context.changes.transition(job, { kind: 'canceled' });
  }

  close(): void {
    this.#closed = true;
    this.#cancelSweep?.();
  }
}
