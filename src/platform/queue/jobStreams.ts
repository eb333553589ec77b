import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isTerminal } from '../../contract/job.ts';
import { splitChunk, type JobRecord } from '../domain/job.ts';
import type { JobTraceEvent } from '../domain/jobTraceEvent.ts';
import { notFound } from '../domain/refusal.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Clocks, Clock } from '../time/clock.ts';
import { Deliveries, type Delivery } from './deliveries.ts';
import type { JobWaits } from './jobWaits.ts';

/** Time for which the stream of a canceled job stays readable, in ms. */
const STREAM_AFTER_CANCEL_MS = 30_000;

/** Maximum size of one `stream` response, in characters of JSON. */
const MAX_STREAM_LENGTH = 20 * 1_048_576;

/** The output of jobs in chunks, which workers append and readers take. */
export class JobStreams {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #waits: JobWaits;
  readonly #times: ChunkTimes;
  readonly #deliveries: Deliveries;

  constructor(store: Store, { clock, realClock }: Clocks, waits: JobWaits) {
    this.#store = store;
    this.#clock = clock;
    this.#waits = waits;
    this.#times = new ChunkTimes(store);
    this.#deliveries = new Deliveries(store.jobs, realClock);
  }

  /** Appends a part of the output of a job. */
  append(job: JobRecord, output: unknown): void {
    this.#store.transaction((transaction) => {
      for (const chunk of splitChunk(output)) this.#store.jobs.appendChunk(job.id, chunk);
      this.#times.chunk(job, this.#clock.now(), transaction);
      transaction.afterCommit(() => this.#waits.notify(job));
    });
  }

  /**
   * Takes the chunks that have not arrived at a reader yet. Waits until there is one, the job has ended, or `waitMs` ms have passed. The
   * caller ends the delivery. Chunks that do not arrive are taken again.
   *
   * @param current returns the stored job; throws for a job that does not exist
   * @throws Refusal 404; also for a job that was canceled some time ago, because some clients do not treat CANCELLED as an end and would
   *   poll forever
   */
  async take(id: string, current: () => JobRecord, { waitMs, signal }: { waitMs: number; signal: AbortSignal }) {
    // The failure of an earlier reader's connection may be among the events of this turn.
    if (this.#deliveries.isUncertain(id)) await yieldToEventLoop();
    let delivery: Delivery | undefined;
    // Taken inside the condition rather than after the wait, so that a chunk wakes only one caller.
    const satisfied = ({ endpointId, status }: JobRecord): boolean => {
      delivery ??= this.#deliveries.next(id, MAX_STREAM_LENGTH, () => this.#wake(endpointId, id));
      // The chunks of a pending delivery may return.
      return delivery !== undefined || (isTerminal(status) && !this.#deliveries.isPending(id));
    };
    const { status, finishedAt = 0 } = await this.#waits.wait(current(), { waitMs, signal, satisfied });
    if (status === 'CANCELLED' && !delivery && this.#clock.now() - finishedAt > STREAM_AFTER_CANCEL_MS) {
      throw notFound(`the stream of canceled job '${id}'`);
    }
    return { status, delivery };
  }

  /** Lets the waiting callers of a job check their conditions. */
  #wake(endpointId: string, id: string): void {
    const job = this.#waits.has(id) ? this.#store.jobs.get(endpointId, id) : undefined;
    if (job) this.#waits.notify(job);
  }

  /** Stores the time of the last chunk of a job, if any. Call this in the transaction that ends the attempt. */
  attemptEnded(id: string): void {
    this.#times.attemptEnded(id);
  }

  /** Discards the chunks of an earlier attempt. */
  discard(id: string): void {
    this.#store.transaction((transaction) => {
      this.#store.jobs.deleteChunks(id);
      transaction.afterCommit(() => this.#deliveries.forget(id));
    });
  }

  /** Returns the events of a job that are not stored yet. */
  pendingOf(id: string): JobTraceEvent[] {
    return this.#times.pendingOf(id);
  }

  /** Deletes the chunks that were sent. Must be called before the store is closed. */
  close(): void {
    this.#deliveries.close();
  }
}

interface Stream {
  readonly attempt: number;
  lastAt: number;
}

/**
 * Records the times of the first and the last chunk of each attempt. The first one is stored at once, and the last one with the end of the
 * attempt, so that the chunks in between cost nothing.
 */
class ChunkTimes {
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
