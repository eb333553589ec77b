import type { JobCounts, JobRecord } from '../domain/job.ts';
import type { JobQueue } from './jobQueue.ts';

/** Callbacks for changes by callers. They run after the change is stored. */
export interface JobEffects {
  /** Called when the waiting jobs have changed. */
  readonly onChange: () => void;
  /** Called when a job was canceled. A worker may still have it. */
  readonly onCanceled: (jobId: string) => void;
}

/** Jobs of one queue, for its callers. */
export class EndpointJobs {
  readonly #queue: JobQueue;
  readonly #endpointId: string;
  readonly #effects: JobEffects;

  constructor(queue: JobQueue, endpointId: string, effects: JobEffects) {
    this.#queue = queue;
    this.#endpointId = endpointId;
    this.#effects = effects;
  }

  /** @throws Refusal 404 */
  get(jobId: string): JobRecord {
    return this.#queue.get(this.#endpointId, jobId);
  }

  /** Returns the number of jobs in each status. */
  counts(): JobCounts {
    return this.#queue.counts(this.#endpointId);
  }

  /** See `JobQueue.waitFor`. @throws Refusal 404 */
  waitFor(job: JobRecord, waitMs: number, signal: AbortSignal): Promise<JobRecord> {
    return this.#queue.waitFor(job, waitMs, signal);
  }

  /** See `JobQueue.takeChunks`. @throws Refusal 404 */
  takeChunks(jobId: string, waitMs: number, signal: AbortSignal): ReturnType<JobQueue['takeChunks']> {
    return this.#queue.takeChunks(this.#endpointId, jobId, waitMs, signal);
  }

  /** See `JobQueue.setTtl`. @throws Refusal 404 */
  setTtl(jobId: string, ttl: number): Promise<JobRecord> {
    return this.#queue.setTtl(this.#endpointId, jobId, ttl);
  }

  /** See `JobQueue.cancel`. @throws Refusal 404 */
  cancel(jobId: string): JobRecord {
    const job = this.#queue.cancel(this.#endpointId, jobId);
    this.#effects.onCanceled(jobId);
    return job;
  }

  /** See `JobQueue.retry`. @throws Refusal 404 or 400 */
  retry(jobId: string): JobRecord {
    const job = this.#queue.retry(this.#endpointId, jobId);
    this.#effects.onChange();
    return job;
  }

  /** See `JobQueue.purge`. */
  async purge(): Promise<number> {
    const removed = await this.#queue.purge(this.#endpointId);
    this.#effects.onChange();
    return removed;
  }
}
