import type { JobRequest } from '../../../contract/job.ts';

/** Reasons why a request is not stored: it is too large, or it contains a value that looks like a secret. */
export type NotStored = 'tooLarge' | 'secret';

/** Requests of submitted jobs, which are stored on this machine. Never contains `s3Config`. */
export interface JobRequests {
  /** Stores the request of a job. Resolves with a reason if it is not stored. */
  put(connectionId: string, jobId: string, request: JobRequest): Promise<NotStored | undefined>;
  get(connectionId: string, jobId: string): Promise<JobRequest | undefined>;
  remove(connectionId: string, jobIds: readonly string[]): Promise<void>;
}
