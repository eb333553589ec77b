import type { WorkerCost } from '../domain/usage.ts';

/** A worker: it may have several runs, one after the other. Its logs outlive it. */
export interface WorkerRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly createdAt: number;
}

/** One process of a worker, for as long as it is up. */
export interface RunRecord {
  /** Random. */
  readonly id: string;
  readonly endpointId: string;
  readonly workerId: string;
  /** A JSON value by which the runtime finds what it started. */
  readonly handle: unknown;
  readonly startedAt: number;
  /** When the platform last knew it to be up. */
  readonly lastSeenAt: number;
}

/** The workers, and the runs that are up. */
export interface RunStore {
  /** Deletes the workers of deleted endpoints, and their logs. */
  deleteStrayWorkers(): void;
  /** Does nothing if the worker is known already. */
  insertWorker(worker: WorkerRecord): void;
  getWorker(endpointId: string, id: string): WorkerRecord | undefined;
  /** Records that a process is about to start. If the platform is killed meanwhile, its next start finds the process by the handle. */
  announce(run: RunRecord): void;
  /** Records that the process is up. Its usage begins. */
  insert(run: RunRecord & WorkerCost): void;
  /** Sets the last-seen time of every run that is up. */
  touch(now: number): void;
  /** Deletes the run and ends its usage. */
  end(id: string, endedAt: number): void;
  /** Runs without an end. After a start, these are the ones that a killed platform left behind. */
  listOpen(): RunRecord[];
}
