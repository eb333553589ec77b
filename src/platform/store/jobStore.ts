import type { JobRequest, JobStatus } from '../../contract/job.ts';
import type { JobCounts, JobRecord } from '../domain/job.ts';

/** A waiting job with the body of its request. */
export interface QueuedJob {
  readonly job: JobRecord;
  readonly request: JobRequest;
}

/** The jobs, and the chunks of output that have not been asked for yet. */
export interface JobStore {
  insert(job: JobRecord, request: JobRequest): void;
  /** @param before as it is stored */
  update(before: JobRecord, after: JobRecord): void;
  get(endpointId: string, id: string): JobRecord | undefined;
  /** The body as it was sent: input, webhook, policy, s3Config and whatever else. @throws Error when there is no such job */
  request(jobId: string): JobRequest;
  /** Forgets the job, its request and its chunks. */
  delete(id: string): void;
  /** The same for all jobs of an endpoint, and how many there were. */
  deleteOf(endpointId: string): void;
  /** The jobs that have waited longest. */
  queued(endpointId: string, limit: number): JobRecord[];
  /** The same with their requests, in one read. */
  queuedWithRequests(endpointId: string, limit: number): QueuedJob[];
  /** When the jobs in the queue entered it, oldest first, without those of low priority. */
  queuedSince(endpointId: string, limit: number): number[];
  /** When the last of the jobs in the queue entered it; 0 when there is none. */
  lastQueuedAt(endpointId: string): number;
  /** Ids of jobs with that status which were queued by then, oldest first. */
  ids(endpointId: string, status: JobStatus, query: { readonly queuedBy?: number; readonly limit?: number }): string[];
  count(endpointId: string): JobCounts;
  /** Jobs that have expired by then, in whatever status. */
  expired(now: number, limit: number): Pick<JobRecord, 'id' | 'endpointId'>[];
  /** The moment the next job expires. */
  nextExpiry(): number | undefined;

  appendChunk(jobId: string, output: unknown): void;
  /** The next chunks, in order, of at most that many characters of JSON in sum, or one; they are gone afterwards. */
  takeChunks(jobId: string, maxLength?: number): unknown[];
}
