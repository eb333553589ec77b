import type { Job } from '../../../contract/job.ts';
import type { StoredJob } from '../model/storedJob.ts';

/** Follows unfinished jobs of the current connection, and records each state in the history. */
export interface JobTracking {
  /** Follows a job until it ends, unless the job is already followed. */
  track(connectionId: string, job: StoredJob): void;
  /** Records a state of a job that another request returned, and updates its open document. */
  seen(connectionId: string, job: StoredJob, state: Job): Promise<void>;
  /**
   * Keeps a job from being followed, because the caller follows it. The returned function ends this. An unfinished job of the history is
   * then followed.
   */
  hold(connectionId: string, jobId: string): () => void;
}
