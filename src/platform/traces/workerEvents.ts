import type { WorkerEventRecord } from '../domain/workerTraceEvent.ts';
import { isStorageFull } from '../storageFull.ts';
import { pausedWhileFull } from '../store/fullDisk.ts';
import type { TraceStore } from '../store/runStore.ts';
import type { Clock } from '../time/clock.ts';

/** Maximum number of events that wait for a full disk. */
const MAX_PENDING = 1_000;

/**
 * Records the events of workers. They are stored together in a later turn of the event loop, so that a full disk does not affect the
 * workers.
 */
export class WorkerEvents {
  readonly #store: TraceStore;
  readonly #flush: () => void;
  #pending: WorkerEventRecord[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  #closed = false;

  /** @param realClock waits in real time */
  constructor(store: TraceStore, realClock: Clock) {
    this.#store = store;
    this.#flush = pausedWhileFull(realClock, () => this.#write());
  }

  record(event: WorkerEventRecord): void {
    if (this.#closed) return;
    this.#pending.push(event);
    if (this.#pending.length > MAX_PENDING) this.#pending.shift();
    this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Stores the recorded events. On a full disk, they are stored later. */
  flush(): void {
    this.#cancel();
    this.#flush();
  }

  /** Returns the events of the workers of an endpoint, in order. */
  of(endpointId: string): WorkerEventRecord[] {
    const pending = this.#pending.filter((event) => event.endpointId === endpointId);
    return [...this.#store.workerEvents(endpointId), ...pending];
  }

  /** Stores the recorded events before the store is closed. On a full disk, they are lost. */
  close(): void {
    if (this.#closed) return;
    this.#cancel();
    try {
      this.#write();
    } catch (error) {
      if (!isStorageFull(error)) throw error;
    }
    this.#closed = true;
  }

  #cancel(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
  }

  #write(): void {
    if (this.#closed || this.#pending.length === 0) return;
    this.#store.addWorkerEvents(this.#pending);
    this.#pending = [];
  }
}
