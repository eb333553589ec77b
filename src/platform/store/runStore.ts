import type { WorkerCost } from '../domain/usage.ts';
import type { JobTraceEvent } from '../domain/jobTraceEvent.ts';
import type { WorkerEventRecord } from '../domain/workerTraceEvent.ts';

/** A worker. It can have several runs in sequence. Its logs survive it. */
interface WorkerRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly createdAt: number;
}

/** Data by which the next platform recognizes and adopts a process that outlives this one. */
export interface RunClaim {
  /** Endpoint version of the container. */
  readonly version: number;
  /** Secret in the requests of the process. */
  readonly token: string;
  /** UUIDs of the GPUs of this machine that the process has. */
  readonly gpus: readonly string[];
  /** Address from which the process sent its first request; omitted before that. */
  readonly peer?: string | undefined;
  /** Whether the process is on standby. */
  readonly frozen: boolean;
}

/** A running process of a worker. */
export interface RunRecord {
  /** Random ID. */
  readonly id: string;
  readonly endpointId: string;
  readonly workerId: string;
  /** JSON value by which the runtime identifies the process. */
  readonly handle: unknown;
  readonly startedAt: number;
  /** Time at which the platform last saw the process running. */
  readonly lastSeenAt: number;
  /** Omitted if the process ends with the platform, is not up yet, or is being ended. */
  readonly claim?: RunClaim | undefined;
}

/** Workers, and the runs that have not ended. */
export interface RunStore {
  /** Removes some workers of a deleted endpoint, and their logs, in short transactions. Returns true if there may be more. */
  removeWorkers(endpointId: string): boolean;
  /** Does nothing if the worker exists. */
  insertWorker(worker: WorkerRecord): void;
  getWorker(endpointId: string, id: string): WorkerRecord | undefined;
  /** Records that a process is about to start. If the platform is killed before `insert`, the next one finds the process by the handle. */
  announce(run: RunRecord): void;
  /** Records that the process is up. Its usage begins. */
  insert(run: RunRecord & WorkerCost): void;
  /** Records changes of a process that can be adopted. Does nothing for any other. */
  setClaim(id: string, changes: Pick<RunClaim, 'peer'> | Pick<RunClaim, 'frozen'>): void;
  /** Records that the process is being ended, so that the next platform does not adopt it. */
  disown(id: string): void;
  /** Sets the last-seen time of every run. */
  touch(now: number): void;
  /** Deletes the run and ends its usage. */
  end(id: string, endedAt: number): void;
  /** Returns the runs without an end. After a start, these are the runs of a platform that was killed. */
  listOpen(): RunRecord[];
}

/** Events of workers and jobs, from which traces are built. Times are milliseconds since the epoch. */
export interface TraceStore {
  /** Adds events in one transaction. The oldest ones of an endpoint are dropped. */
  addWorkerEvents(events: readonly WorkerEventRecord[]): void;
  /** Returns the events of the workers of an endpoint, in the order in which they were added. */
  workerEvents(endpointId: string): WorkerEventRecord[];
  /** Adds the event `stopped` to all workers without it, except the given ones. */
  stopWorkers(at: number, except: readonly string[]): void;
  /** Removes some events of workers that stopped long ago, in a short transaction. Returns true if there may be more. */
  dropOldWorkers(now: number): boolean;
  /** Removes some events of the workers of an endpoint in a short transaction. Returns true if there may be more. */
  removeWorkers(endpointId: string): boolean;
  /** Adds an event to a job. Its oldest ones are dropped. Does nothing if the job does not exist. The events are deleted with the job. */
  addJobEvent(jobId: string, event: JobTraceEvent): void;
  /** Returns the events of a job, in the order in which they were added. */
  jobEvents(jobId: string): JobTraceEvent[];
}
