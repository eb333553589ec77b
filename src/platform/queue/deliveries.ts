import { isStorageFull } from '../storageFull.ts';
import { retryWhileFull } from '../store/fullDisk.ts';
import type { JobStore } from '../store/jobStore.ts';
import type { Clock } from '../time/clock.ts';

/** Chunks on their way to a reader. One of the methods ends the delivery, and later calls do nothing. */
export interface Delivery {
  readonly chunks: readonly unknown[];
  /** Deletes the chunks, because the reader has received them. */
  arrived(): void;
  /** Keeps the chunks until `arrived`, `returned`, or the next reader, because the network may still lose them. */
  sent(): void;
  /** Makes the chunks available to the next reader, because this one did not receive them. */
  returned(): void;
}

interface Position {
  /** Last chunk of the delivery. */
  readonly last: number;
  /** Whether the whole response was sent. */
  sent: boolean;
}

/** Delivers the output of jobs in chunks. A job has one delivery at a time, so that chunks arrive in order even if one is repeated. */
export class Deliveries {
  readonly #chunks: Pick<JobStore, 'chunks' | 'deleteChunks'>;
  readonly #realClock: Clock;
  readonly #positions = new Map<string, Position>();
  #closed = false;

  constructor(chunks: Pick<JobStore, 'chunks' | 'deleteChunks'>, realClock: Clock) {
    this.#chunks = chunks;
    this.#realClock = realClock;
  }

  /** Whether a reader is receiving chunks of the job. */
  isPending(jobId: string): boolean {
    return this.#positions.get(jobId)?.sent === false;
  }

  /** Whether chunks of the job were sent, and it is not known yet whether they arrived. */
  isUncertain(jobId: string): boolean {
    return this.#positions.get(jobId)?.sent === true;
  }

  /**
   * Returns the next chunks of a job. Undefined if there are none, or while a delivery is pending.
   *
   * @param onEnded called when the next delivery can begin
   */
  next(jobId: string, maxLength: number, onEnded: () => void): Delivery | undefined {
    const previous = this.#positions.get(jobId);
    if (previous?.sent === false) return undefined;
    // A reader asks for more once it has received a response.
    if (previous) this.#drop(jobId, previous);
    const { chunks, last } = this.#chunks.chunks(jobId, maxLength);
    if (chunks.length === 0) return undefined;
    const position: Position = { last, sent: false };
    this.#positions.set(jobId, position);
    const end = (how: () => void): void => {
      if (this.#positions.get(jobId) !== position || this.#closed) return;
      how();
      onEnded();
    };
    return {
      chunks,
      arrived: () => end(() => void retryWhileFull(this.#realClock, () => this.#drop(jobId, position))),
      sent: () => end(() => (position.sent = true)),
      returned: () => end(() => this.#positions.delete(jobId)),
    };
  }

  /** Ends the delivery of a job whose chunks are discarded. */
  forget(jobId: string): void {
    this.#positions.delete(jobId);
  }

  /** Deletes the chunks that were sent. Must be called before the store is closed. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      for (const [jobId, position] of [...this.#positions]) if (position.sent) this.#drop(jobId, position);
    } catch (error) {
      // On a full disk, the chunks stay, and the next process delivers them again.
      if (!isStorageFull(error)) throw error;
    }
  }

  #drop(jobId: string, position: Position): void {
    if (this.#positions.get(jobId) !== position) return;
    this.#chunks.deleteChunks(jobId, position.last);
    this.#positions.delete(jobId);
  }
}
