import { isTerminal, type JobRequest } from '../../contract/job.ts';
import { accountOfImageQueue } from '../domain/imageQueue.ts';
import { transition, webhookBody, type JobEvent, type JobRecord } from '../domain/job.ts';
import { requeueEvent } from '../domain/jobTraceEvent.ts';
import type { JobChange } from '../domain/measured.ts';
import type { SubmissionKey } from '../store/jobStore.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';
import type { JobStreams } from './jobStreams.ts';
import type { JobWaits } from './jobWaits.ts';

/** Maximum number of jobs that one transaction changes. The event loop runs other work between transactions. */
export const BATCH_SIZE = 200;

/**
 * The right of a worker to report on a job. A lease belongs to one attempt, because the same worker can get a job again after the job was
 * retried, and its reports on the first attempt may arrive late.
 */
export interface Lease {
  readonly workerId: string;
  /** `retries` of the job when the worker took it. Undefined if any attempt is meant, because the worker was lost. */
  readonly attempt?: number;
}

/** Whether the worker has the attempt of the job that runs now. */
export function isCurrent({ workerId, attempt }: Lease, job: JobRecord): boolean {
  return job.workerId === workerId && (attempt === undefined || job.retries === attempt);
}

/** Measures jobs. Its methods are called in the transactions that store the jobs. */
export interface JobMetrics {
  readonly jobChanged: (change: JobChange) => void;
  readonly jobImported: (job: JobRecord) => void;
}

interface ChangeContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly streams: JobStreams;
  readonly waits: JobWaits;
  /** Undefined if nothing measures the jobs. */
  readonly metrics: JobMetrics | undefined;
  /** Called after a job has ended, which it may do again after a retry. Default: ends are not reported. */
  readonly onEnded?: ((job: JobRecord) => void) | undefined;
  /** Called when the store has new webhooks. */
  readonly onWebhook: () => void;
}

/** Applies events to stored jobs, and stores their consequences in the same transaction. Listeners are notified after the commit. */
export class JobChanges {
  readonly #context: ChangeContext;

  constructor(context: ChangeContext) {
    this.#context = context;
  }

  /** Stores a new job. Must be called in a transaction. */
  insert(job: JobRecord, request: JobRequest, key?: SubmissionKey): JobRecord {
    this.#context.store.jobs.insert(job, request, key);
    this.#context.metrics?.jobChanged({ before: undefined, after: job });
    return job;
  }

  /**
   * Applies an event to jobs in one transaction. Returns the changed jobs, without those that do not exist or that the event does not
   * apply to.
   *
   * @param lease lease of the worker that reports the event, which applies only while the lease is current
   */
  applyAll(endpointId: string, ids: readonly string[], event: JobEvent, lease?: Lease): JobRecord[] {
    return this.#context.store.transaction((transaction) => {
      const changed = ids.flatMap((id) => this.change(endpointId, id, event, lease) ?? []);
      transaction.afterCommit(() => this.notifyAll(changed));
      return changed;
    });
  }

  /** Must be called in a transaction. Returns undefined if there is nothing to change. */
  change(endpointId: string, id: string, event: JobEvent, lease?: Lease): JobRecord | undefined {
    const job = this.#context.store.jobs.get(endpointId, id);
    if (!job || (lease && !isCurrent(lease, job))) return undefined;
    return this.transition(job, event);
  }

  /** Must be called in a transaction. Returns undefined if the event does not apply to the job. */
  transition(job: JobRecord, event: JobEvent): JobRecord | undefined {
    const { store, clock, metrics, streams } = this.#context;
    const now = clock.now();
    const { id, endpointId } = job;
    const changed = transition(job, event, now);
    if (!changed) return undefined;
    store.jobs.update(job, changed);
    metrics?.jobChanged({ before: job, after: changed });
    if (event.kind !== 'progress') streams.attemptEnded(id);
    if (isTerminal(changed.status)) this.#reportEnd(changed);
    const requeued = requeueEvent({ before: job, after: changed }, event, now);
    if (requeued) store.traces.addJobEvent(id, requeued);
    if (changed.status === 'IN_QUEUE') streams.discard(id);
    const webhook = webhookBody(changed, () => store.jobs.request(id));
    if (webhook) {
      const accountId = accountOfImageQueue(endpointId) ?? store.endpoints.accountOf(endpointId) ?? '';
      const body = JSON.stringify(webhook);
      store.webhooks.insert({ jobId: id, accountId, url: webhook.webhook, body, dueAt: now });
    }
    return changed;
  }

  /** Tells the listeners of stored jobs about their changes. */
  notifyAll(changed: readonly JobRecord[]): void {
    for (const job of changed) this.#context.waits.notify(job);
    if (changed.some(({ status, notifies }) => notifies && isTerminal(status))) this.#context.onWebhook();
  }

  #reportEnd(job: JobRecord): void {
    const { onEnded, store } = this.#context;
    if (onEnded) store.transaction((transaction) => transaction.afterCommit(() => onEnded(job)));
  }
}
