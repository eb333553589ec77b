import type { JobRequest, JobStatus } from '../../contract/job.ts';
import type { LogOwner } from './logStore.ts';
import type { EndedJobRecord, JobCounts, JobRecord, TracedJob } from '../domain/job.ts';

/** A waiting job with the body of its request. */
export interface QueuedJob {
  readonly job: JobRecord;
  readonly request: JobRequest;
}

/** Key with which a caller submitted a job, and the digest of the request. */
export interface SubmissionKey {
  readonly key: string;
  /** SHA-256 of the request, in hexadecimal. */
  readonly digest: string;
}

/** A job that was submitted with a key. */
export interface KeyedJob {
  readonly id: string;
  readonly digest: string;
}

/** Chunks of a job's output. */
export interface Chunks {
  readonly chunks: readonly unknown[];
  /** Position of the last chunk. */
  readonly last: number;
}

/**
 * Jobs, and the chunks of output that have not been read yet. The jobs of a deleted endpoint are not found, and are removed in short
 * transactions. Methods that include them say so.
 */
export interface JobStore {
  /** @param key key of the submission, if the caller chose one. Each key identifies at most one job of an endpoint. */
  insert(job: JobRecord, request: JobRequest, key?: SubmissionKey): void;
  /** Returns the job of an endpoint that was submitted with this key, until the job is deleted. */
  withKey(endpointId: string, key: string): KeyedJob | undefined;
  /** @param before the job in the store */
  update(before: JobRecord, after: JobRecord): void;
  get(endpointId: string, id: string): JobRecord | undefined;
  /** Returns whether a job has this ID. */
  has(id: string): boolean;
  /** Returns the worker that ran a job of any endpoint. Undefined if the job does not exist or no worker has taken it. */
  runBy(id: string): LogOwner | undefined;
  /** Returns the parts of a job of any endpoint that its trace needs. Undefined if the job does not exist. */
  traced(id: string): TracedJob | undefined;
  /** Returns the body of the request as it was sent. @throws Error if the job does not exist */
  request(jobId: string): JobRequest;
  /** Deletes the job, its request, and its chunks. */
  delete(id: string): void;
  /** Returns some unfinished jobs of a deleted endpoint. */
  unfinishedRemoved(endpointId: string): Pick<JobRecord, 'id' | 'endpointId'>[];
  /** Returns a job of a deleted endpoint that is not removed yet. */
  getRemoved(id: string): JobRecord | undefined;
  /** Removes some jobs of a deleted endpoint in a short transaction. Returns true if there may be more. */
  deleteRemoved(endpointId: string): boolean;
  /** Returns the queued jobs that have waited longest. */
  queued(endpointId: string, limit: number): JobRecord[];
  /** Returns the jobs that `queued` returns, with their requests, in one read. */
  queuedWithRequests(endpointId: string, limit: number): QueuedJob[];
  /** Returns the times at which queued jobs entered the queue, oldest first, without jobs of low priority. */
  queuedSince(endpointId: string, limit: number): number[];
  /** Returns the time at which the newest queued job entered the queue, or 0 if the queue is empty. */
  lastQueuedAt(endpointId: string): number;
  /**
   * Returns the IDs of jobs with a status, oldest first. Includes jobs of deleted endpoints. `queuedBy` is the latest time at which they
   * entered the queue.
   */
  ids(endpointId: string, status: JobStatus, query: { readonly queuedBy?: number; readonly limit?: number }): string[];
  /** Records that all waiting jobs that entered the queue up to a time are being canceled, until `endPurge`. */
  beginPurge(endpointId: string, queuedBy: number): void;
  /** Returns the queues that are being purged. */
  purging(): { readonly endpointId: string; readonly queuedBy: number }[];
  endPurge(endpointId: string): void;
  count(endpointId: string): JobCounts;
  /** Returns the number of waiting jobs of the endpoints with any. */
  waiting(): Map<string, number>;
  /** Returns the jobs of an endpoint that ended in [from, to) and are still stored, those that took longest first. */
  ended(endpointId: string, within: { readonly from: number; readonly to: number }, limit: number): EndedJobRecord[];
  /** Returns the first expired jobs, in any status: as many as one short transaction can delete. Includes jobs of deleted endpoints. */
  expired(now: number, limit: number): Pick<JobRecord, 'id' | 'endpointId'>[];
  /** Returns the time at which the next job expires. */
  nextExpiry(): number | undefined;

  appendChunk(jobId: string, output: unknown): void;
  /** Returns the first chunks, in order: as many as fit into `maxLength` characters of JSON, but at least one if there is one. */
  chunks(jobId: string, maxLength: number): Chunks;
  /** Deletes the chunks up to a position. Default: all. */
  deleteChunks(jobId: string, last?: number): void;
}
