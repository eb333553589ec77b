import type { Job, JobRequest } from '../../../contract/job.ts';

/** A job to submit and its endpoint. */
export interface JobOrder {
  readonly endpointId: string;
  readonly endpointName: string;
  readonly body: JobRequest;
  /** Highest price of one worker, in USD per hour, if it is known. */
  readonly pricePerHour?: number | undefined;
  /** Address of the job file that the body comes from. */
  readonly file?: string | undefined;
}

/** Receives the state of a job that is being followed. */
export interface JobObserver {
  /** Receives the job when the platform accepts it, each time it changes, and when it ends. */
  seen(job: Job): void;
  /** Receives an unfinished job immediately, each time it changes, and every second. @param elapsedMs time since the submission */
  waiting(job: Job, elapsedMs: number): void;
  /** Called once the signal is aborted and before the job is canceled on the platform. */
  canceling(): void;
}
