import type { Pool } from 'undici';
import type { Candidate } from '../domain/balancing.ts';
import type { Worker } from '../workers/worker.ts';
import type { Address, RunningWorker } from '../runtimes/runtime.ts';
import type { HealthWatch } from './healthWatch.ts';

/** The server of one process of a worker. */
export interface BackendServer {
  readonly address: Address;
  readonly pool: Pool;
  readonly watch: HealthWatch;
}

/** A worker as the balancer sees it. */
export class Backend implements Candidate {
  readonly worker: Worker;
  /** Its present process. */
  process: RunningWorker | undefined;
  /** The server of that process, once its address is known. */
  server: BackendServer | undefined;
  lastGiven = 0;
  #onIdle: (() => void) | undefined;

  constructor(worker: Worker) {
    this.worker = worker;
  }

  get id(): string {
    return this.worker.id;
  }

  get ready(): boolean {
    return this.server?.watch.state === 'ready' && !this.worker.draining;
  }

  get load(): number {
    return this.worker.load;
  }

  begin(requestId: string): void {
    this.worker.begin(requestId);
  }

  /** The request has become a connection, which lasts as long as its two sides like. */
  lasts(requestId: string): void {
    this.worker.lasts(requestId);
    this.#look();
  }

  finish(requestId: string, delivered: boolean): void {
    this.worker.finish(requestId, delivered);
    this.#look();
  }

  #look(): void {
    if (this.worker.unfinished === 0) this.#onIdle?.();
  }

  /** Resolves when it has no request that will come to an end. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.worker.unfinished === 0) resolve();
      else this.#onIdle = resolve;
    });
  }
}
