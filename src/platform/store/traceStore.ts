import type { JobTraceEvent } from '../domain/jobTraceEvent.ts';
import type { WorkerEventRecord } from '../domain/workerTraceEvent.ts';

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
