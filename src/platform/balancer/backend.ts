import type { Pool } from 'undici';
import type { Candidate } from '../domain/balancing.ts';
import type { Clock } from '../time/clock.ts';
import { DerivedClock } from '../time/derivedClock.ts';
import type { Worker } from '../workers/worker.ts';
import type { Address, RunningWorker } from '../runtimes/runtime.ts';
import type { HealthWatch } from './healthWatch.ts';

/** HTTP server in one process of a worker. */
export interface BackendServer {
  readonly address: Address;
  readonly pool: Pool;
  readonly watch: HealthWatch;
}

/** A worker that the balancer can choose, with its server and health. */
export class Backend implements Candidate {
  readonly worker: Worker;
  /** Current process of the worker. */
  process: RunningWorker | undefined;
  /** Server of the current process; undefined until its address is known. */
  server: BackendServer | undefined;
  lastAssigned = 0;
  /** Clock of the time limits of its requests, which do not apply while the worker is debugged. */
  readonly clock: DerivedClock;
  #onIdle: (() => void) | undefined;

  constructor(worker: Worker, clock: Clock) {
    this.worker = worker;
    this.clock = new DerivedClock(clock);
    this.onDebuggedChanged();
  }

  onDebuggedChanged(): void {
    if (this.worker.debugged) this.clock.pause();
    else this.clock.resume();
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

  /** Marks the request as an upgraded connection, which has no time limit. */
  markUpgraded(requestId: string): void {
    this.worker.markUpgraded(requestId);
    this.#checkIdle();
  }

  finish(requestId: string, delivered: boolean): void {
    this.worker.finish(requestId, delivered);
    this.#checkIdle();
  }

  #checkIdle(): void {
    if (this.worker.unfinished === 0) this.#onIdle?.();
  }

  /** Resolves once the worker has no unfinished request. Upgraded connections do not count. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.worker.unfinished === 0) resolve();
      else this.#onIdle = resolve;
    });
  }
}
