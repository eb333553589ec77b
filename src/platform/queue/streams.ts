import type { JobTraceEvent } from '../domain/jobTraceEvent.ts';
import type { JobRecord } from '../domain/job.ts';
import type { Store, Transaction } from '../store/store.ts';

interface Stream {
  readonly attempt: number;
  lastAt: number;
}

/**
 * Records the times of the first and the last chunk of each attempt. The first one is stored at once, and the last one with the end of the
 * attempt, so that the chunks in between cost nothing.
 */
export class Streams {
  readonly #store: Pick<Store, 'transaction' | 'traces'>;
  readonly #streams = new Map<string, Stream>();

  constructor(store: Pick<Store, 'transaction' | 'traces'>) {
    this.#store = store;
  }

  /** Records a chunk. Call this in the transaction that stores it. */
  chunk({ id, retries }: JobRecord, at: number, transaction: Transaction): void {
    const attempt = retries + 1;
    const isKnown = this.#streams.get(id)?.attempt === attempt;
    if (!isKnown && !this.#isStored(id, attempt))
      this.#store.traces.addJobEvent(id, { kind: 'firstChunk', at, attempt });
    transaction.afterCommit(() => this.#streams.set(id, { attempt, lastAt: at }));
  }

  /** Stores the last chunk of a job, if any. Call this in the transaction that ends the attempt. */
  attemptEnded(id: string): void {
    const events = this.pendingOf(id);
    if (events.length === 0) return;
    this.#store.transaction((transaction) => {
      for (const event of events) this.#store.traces.addJobEvent(id, event);
      transaction.afterCommit(() => this.#streams.delete(id));
    });
  }

  /** Returns the events of a job that are not stored yet. */
  pendingOf(id: string): JobTraceEvent[] {
    const stream = this.#streams.get(id);
    return stream ? [{ kind: 'lastChunk', at: stream.lastAt, attempt: stream.attempt }] : [];
  }

  /** An earlier platform may have stored the first chunk. */
  #isStored(id: string, attempt: number): boolean {
    return this.#store.traces.jobEvents(id).some((event) => event.kind === 'firstChunk' && event.attempt === attempt);
  }
}
