import type { Logger } from 'pino';
import type { JobQueue } from '../queue/jobQueue.ts';
import type { Store } from '../store/store.ts';
import { Sweeper } from '../store/sweeper.ts';
import type { Clock } from '../time/clock.ts';

interface RemovalOptions {
  readonly store: Store;
  readonly jobs: Pick<JobQueue, 'waitedFor' | 'removeDeleted'>;
  readonly realClock: Clock;
  readonly log: Logger;
  /** Whether workers of a deleted endpoint may still write logs. */
  readonly isClosing: (endpointId: string) => boolean;
}

/**
 * Removes the jobs, workers, and logs of deleted endpoints, which no reader finds. The store keeps the endpoint until its last row is
 * removed, so that the removal continues after a restart.
 */
export class Removal {
  readonly #options: RemovalOptions;
  readonly #sweeper: Sweeper;
  /** Endpoints with rows to remove, and the jobs that callers wait for, which end first. */
  readonly #endpoints = new Map<string, string[]>();

  constructor(options: RemovalOptions) {
    this.#options = options;
    this.#sweeper = new Sweeper(options.realClock, () => this.#step(), options.store);
  }

  /** Continues the removal that an earlier platform began. */
  recover(): void {
    for (const id of this.#options.store.endpoints.removed()) this.#endpoints.set(id, []);
    this.#sweeper.wake();
  }

  /** Begins to remove a deleted endpoint. */
  add(endpointId: string): void {
    this.#endpoints.set(endpointId, this.#options.jobs.waitedFor(endpointId));
    this.#sweeper.wake();
  }

  /** Continues once the workers of a deleted endpoint have stopped. */
  wake(): void {
    this.#sweeper.wake();
  }

  /** Removes all jobs of a deleted endpoint at once, because another endpoint gets its ID. */
  finish(endpointId: string): void {
    if (!this.#endpoints.has(endpointId)) return;
    const { store, jobs } = this.#options;
    store.transaction((transaction) => {
      while (jobs.removeDeleted(endpointId, []));
      while (store.metrics.remove(endpointId));
      while (store.traces.removeWorkers(endpointId));
      store.endpoints.forget(endpointId);
      transaction.afterCommit(() => this.#endpoints.delete(endpointId));
    });
  }

  close(): void {
    this.#sweeper.close();
  }

  /** Removes some rows. Returns false if none is left, or if the rest waits for workers that stop. */
  #step(): boolean {
    const { isClosing, jobs, store, log } = this.#options;
    for (const [id, waitedFor] of this.#endpoints) {
      if (jobs.removeDeleted(id, waitedFor)) return true;
      if (isClosing(id)) continue;
      if (store.runs.removeWorkers(id) || store.metrics.remove(id) || store.traces.removeWorkers(id)) return true;
      store.endpoints.forget(id);
      this.#endpoints.delete(id);
      log.info({ endpointId: id }, 'removed the jobs and logs of a deleted endpoint');
      return this.#endpoints.size > 0;
    }
    return false;
  }
}
