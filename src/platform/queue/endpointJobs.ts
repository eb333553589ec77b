import type { JobCounts, JobRecord } from '../domain/job.ts';
import type { JobQueue } from './jobQueue.ts';

/** What a change by a caller means for the workers of the queue. Called when the change is stored. */
export interface JobEffects {
  /** Other jobs wait than before. */
  readonly onChange: () => void;
  /** The job is cancelled. A worker may still have it. */
  readonly onCancelled: (jobId: string) => void;
}

/** The jobs of one queue, for its callers. */
export class EndpointJobs {
  readonly #book: JobQueue;
  readonly #endpointId: string;
  readonly #effects: JobEffects;

  constructor(book: JobQueue, endpointId: string, effects: JobEffects) {
    this.#book = book;
    this.#endpointId = endpointId;
    this.#effects = effects;
  }

  /** @throws Refusal 404 */
  get(jobId: string): JobRecord {
    return this.#book.get(this.#endpointId, jobId);
  }

  /** The number of jobs in each status. */
  counts(): JobCounts {
    return this.#book.counts(this.#endpointId);
  }

  /** As `JobQueue.waitFor`. @throws Refusal 404 */
  waitFor(job: JobRecord, waitMs: number, signal: AbortSignal): Promise<JobRecord> {
    return this.#book.waitFor(job, waitMs, signal);
  }

  /** As `JobQueue.takeChunks`. @throws Refusal 404 */
  takeChunks(jobId: string, waitMs: number, signal: AbortSignal): ReturnType<JobQueue['takeChunks']> {
    return this.#book.takeChunks(this.#endpointId, jobId, waitMs, signal);
  }

  /** As `JobQueue.setTtl`. @throws Refusal 404 */
  setTtl(jobId: string, ttl: number): Promise<JobRecord> {
    return this.#book.setTtl(this.#endpointId, jobId, ttl);
  }

  /** As `JobQueue.cancel`. @throws Refusal 404 */
  cancel(jobId: string): JobRecord {
    const job = this.#book.cancel(this.#endpointId, jobId);
    this.#effects.onCancelled(jobId);
    return job;
  }

  /** As `JobQueue.retry`. @throws Refusal 404 or 400 */
  retry(jobId: string): JobRecord {
    const job = this.#book.retry(this.#endpointId, jobId);
    this.#effects.onChange();
    return job;
  }

  /** As `JobQueue.purge`. */
  async purge(): Promise<number> {
    const removed = await this.#book.purge(this.#endpointId);
    this.#effects.onChange();
    return removed;
  }
}
