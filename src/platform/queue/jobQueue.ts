import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { MAX_LISTED_JOBS } from '../../contract/control/controlMetrics.ts';
import { IDEMPOTENCY_KEY_HEADER, type JobRequest } from '../../contract/job.ts';
import {
  createJob,
  transition,
  withTtl,
  type EndedJobRecord,
  type JobCounts,
  type JobEvent,
  type JobRecord,
} from '../domain/job.ts';
import type { JobTraceEvent } from '../domain/jobTraceEvent.ts';
import { serialized, textParts } from '../domain/largeJson.ts';
import { notFound, Refusal } from '../domain/refusal.ts';
import { newJobId } from '../ids.ts';
import type { KeyedJob } from '../store/jobStore.ts';
import type { Store } from '../store/store.ts';
import type { Clock, Clocks } from '../time/clock.ts';
import { Batch } from '../time/pacing.ts';
import { isCurrent, JobChanges, type JobMetrics, type Lease } from './jobChanges.ts';
import { JobExpiry } from './jobExpiry.ts';
import { JobPurges } from './jobPurges.ts';
import { JobStreams } from './jobStreams.ts';
import { JobWaits } from './jobWaits.ts';
import type { Reservations } from './reservedJobs.ts';

/** How a job is submitted. */
export interface Submission {
  /** Determines the form of the job's ID. */
  readonly kind: 'run' | 'runsync';
  /** Key that the caller chose. If a job of the endpoint has it, that job is returned instead. */
  readonly key?: string | undefined;
  /** Valid `traceparent` of the caller, in version 00. */
  readonly traceParent?: string | undefined;
}

/** Result that a worker delivers for a job. */
export interface JobResult {
  readonly output?: unknown;
  readonly error?: unknown;
}

/** Events for the owner of the workers. */
export interface JobQueueEvents {
  /** Called when jobs have entered the queue of an endpoint. */
  readonly onSubmitted: (endpointId: string) => void;
  /** Called when a job expired before it ended. The job is already deleted. */
  readonly onExpired: (job: JobRecord) => void;
  /** Called after a job has ended, which it may do again after a retry. Default: ends are not reported. */
  readonly onEnded?: ((job: JobRecord) => void) | undefined;
  /** Called when the store has new webhooks. */
  readonly onWebhook: () => void;
}

const KEY_CONFLICT = `a job was already submitted with this ${IDEMPOTENCY_KEY_HEADER} and another body`;

/** A job that was assigned to a worker, with the body of its request. */
export interface TakenJob {
  readonly job: JobRecord;
  readonly request: JobRequest;
}

/** A worker that requests a job. */
export interface Taker {
  readonly workerId: string;
  /** Version of the worker's release. */
  readonly version: number;
  /** Whether the worker may still run an earlier attempt of the job. Workers identify jobs, but not attempts. */
  has(jobId: string): boolean;
  /** Number of jobs that the worker has not dropped yet although it lost them. */
  readonly revoked: number;
}

/** Must be called in a transaction. Returns the changed job, or undefined if there is nothing to change. */
type Change = () => JobRecord | undefined;

/** The jobs of all queues. Every change passes through the state machine, is stored, and is then reported to the listeners of the job. */
export class JobQueue {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #streams: JobStreams;
  readonly #waits: JobWaits;
  readonly #events: JobQueueEvents;
  readonly #metrics: JobMetrics | undefined;
  readonly #changes: JobChanges;
  readonly #expiry: JobExpiry;
  readonly #purges: JobPurges;
  readonly #pending = new Batch<Change, JobRecord | undefined>(
    (changes) => this.#commit(changes),
    () => this.#store.pendingFlush(),
  );

  /** @param metrics default: nothing measures the jobs */
  constructor(store: Store, { clock, realClock }: Clocks, events: JobQueueEvents, metrics?: JobMetrics) {
    this.#store = store;
    this.#clock = clock;
    this.#waits = new JobWaits(realClock, ({ endpointId, id }) => this.get(endpointId, id));
    this.#streams = new JobStreams(store, { clock, realClock }, this.#waits);
    this.#events = events;
    this.#metrics = metrics;
    const { onEnded, onWebhook, onExpired } = events;
    const [streams, waits] = [this.#streams, this.#waits];
    const changes = new JobChanges({ store, clock, streams, waits, metrics, onEnded, onWebhook });
    this.#changes = changes;
    this.#expiry = new JobExpiry({ store, clock, changes, onExpired });
    this.#purges = new JobPurges(store, realClock, changes);
  }

  /**
   * Adds a job to the queue. Resolves once the job is stored, in one transaction with other pending submissions and results.
   *
   * @throws Refusal 409 if the job with this key has another request
   */
  async submit(endpointId: string, request: JobRequest, submission: Submission): Promise<JobRecord> {
    return this.#store.largeValues.keep(request.input, (input) => {
      const kept = input === request.input ? request : { ...request, input: input as JobRequest['input'] };
      return this.#submit(endpointId, kept, submission);
    });
  }

  async #submit(endpointId: string, request: JobRequest, { kind, key, traceParent }: Submission): Promise<JobRecord> {
    if (key !== undefined) this.#expiry.removeIfExpired(endpointId, key);
    const job = createJob(request, { id: newJobId(kind), endpointId, now: this.#clock.now(), traceParent });
    if (key === undefined) {
      await this.#pending.add(() => this.#changes.insert(job, request));
      return job;
    }
    const digest = await digestOf(request);
    let earlier: KeyedJob | undefined;
    await this.#pending.add(() => {
      earlier = this.#store.jobs.withKey(endpointId, key);
      return earlier ? undefined : this.#changes.insert(job, request, { key, digest });
    });
    if (!earlier) return job;
    if (earlier.digest !== digest) throw new Refusal(409, KEY_CONFLICT);
    return this.get(endpointId, earlier.id);
  }

  /** Imports jobs in any status, either all or none. @throws Refusal 409 if an ID is already in use */
  importJobs(jobs: readonly { readonly record: JobRecord; readonly request: JobRequest }[]): void {
    if (jobs.length === 0) return;
    const ids = new Set(jobs.map(({ record }) => record.id));
    const isTaken = [...ids].some((id) => this.#store.jobs.has(id));
    if (isTaken || ids.size < jobs.length) throw new Refusal(409, 'a job with this ID already exists');
    this.#store.transaction(() => {
      // A chosen ID may be that of a deleted endpoint's job.
      this.#expiry.remove([...ids].flatMap((id) => this.#store.jobs.getRemoved(id) ?? []));
      const imports = jobs.map(({ record, request }) => (): JobRecord => {
        this.#store.jobs.insert(record, request);
        this.#metrics?.jobImported(record);
        return record;
      });
      this.#commit(imports);
    });
  }

  /** Stores the result of a job in one transaction with other pending submissions and results. Ignored unless the lease is current. */
  async finish(endpointId: string, id: string, lease: Lease, result: JobResult): Promise<void> {
    await this.#store.largeValues.keep(result.output, (output) =>
      this.#pending.add(() => this.#changes.change(endpointId, id, { kind: 'finished', ...result, output }, lease)),
    );
  }

  /** Stores all pending submissions and results at once, before a change that depends on them. */
  flush(): void {
    this.#pending.flush();
  }

  /**
   * Assigns the jobs that have waited longest, one to each entry of `takers`, and stores the assignments. A job waits for another worker if
   * the free ones may still run an earlier attempt of it, or it is reserved.
   *
   * @param reservationsOf returns the reservations of that many jobs; default: none is reserved
   */
  dispatch(
    endpointId: string,
    takers: readonly Taker[],
    reservationsOf?: (count: number) => Reservations | undefined,
  ): TakenJob[] {
    const now = this.#clock.now();
    const skipped = [...new Set(takers)].reduce((sum, { revoked }) => sum + revoked, 0);
    const count = takers.length + skipped;
    const reservations = reservationsOf?.(count);
    const waiting = this.#store.jobs.queuedWithRequests(endpointId, count + (reservations?.size ?? 0));
    if (waiting.length === 0) return [];
    return this.#store.transaction((transaction) => {
      const taken: TakenJob[] = [];
      const free = [...takers];
      for (const { job: before, request } of waiting) {
        const turn = free.findIndex(
          (taker) => !taker.has(before.id) && reservations?.allows(before.id, taker.workerId) !== false,
        );
        const { workerId, version: release } = free[turn] ?? {};
        const job = workerId === undefined ? undefined : transition(before, { kind: 'taken', workerId, release }, now);
        if (!job) continue;
        free.splice(turn, 1);
        this.#store.jobs.update(before, job);
        this.#metrics?.jobChanged({ before, after: job });
        taken.push({ job, request });
      }
      transaction.afterCommit(() => this.#changes.notifyAll(taken.map(({ job }) => job)));
      return taken;
    });
  }

  /** Returns the jobs of an endpoint that ended in [from, to) and are still stored, those that took longest first. */
  ended(
    endpointId: string,
    within: { readonly from: number; readonly to: number },
    limit = MAX_LISTED_JOBS,
  ): EndedJobRecord[] {
    return this.#store.jobs.ended(endpointId, within, limit);
  }

  /** Returns the number of jobs of an endpoint in each status. */
  counts(endpointId: string): JobCounts {
    return this.#store.jobs.count(endpointId);
  }

  /** @throws Refusal 404 */
  get(endpointId: string, id: string): JobRecord {
    const job = this.#store.jobs.get(endpointId, id);
    if (!job || job.expiresAt <= this.#clock.now()) throw notFound(`job '${id}'`);
    return job;
  }

  /** Returns a job and the request that submitted it. @throws Refusal 404 */
  request(endpointId: string, id: string): { readonly job: JobRecord; readonly request: JobRequest } {
    return { job: this.get(endpointId, id), request: this.#store.jobs.request(id) };
  }

  /** Returns what traces show of a job and its record does not contain, in order. */
  history({ id }: Pick<JobRecord, 'id'>): JobTraceEvent[] {
    return [...this.#store.traces.jobEvents(id), ...this.#streams.pendingOf(id)];
  }

  /**
   * Applies an event and stores the job. Returns undefined if the job does not exist or the event does not apply to it.
   *
   * @param lease lease of the worker that reports the event, which applies only while the lease is current
   */
  apply(endpointId: string, id: string, event: JobEvent, lease?: Lease): JobRecord | undefined {
    return this.#changes.applyAll(endpointId, [id], event, lease)[0];
  }

  /**
   * Cancels all jobs that are waiting now, and resolves with their number. They stay readable. If the first part of a long purge is stored,
   * the rest follows, even after a restart.
   */
  async purge(endpointId: string): Promise<number> {
    this.flush();
    return this.#purges.purge(endpointId);
  }

  /** Continues the work of an earlier platform. */
  recover(): void {
    this.#purges.recover();
  }

  /** Returns a failed job to the queue. @throws Refusal 404, or 400 for a job that has not failed */
  retry(endpointId: string, id: string): JobRecord {
    const { status } = this.get(endpointId, id);
    const job = this.apply(endpointId, id, { kind: 'retried' });
    if (!job) throw new Refusal(400, `only a FAILED or TIMED_OUT job can be retried; this one is ${status}`);
    return job;
  }

  /** Cancels a job that is waiting or running. A job that has already ended does not change. @throws Refusal 404 */
  cancel(endpointId: string, id: string): JobRecord {
    const job = this.get(endpointId, id);
    return this.apply(endpointId, id, { kind: 'canceled' }) ?? job;
  }

  /** Sets the time at which the job expires, in ms from its submission. Resolves once the change is on disk. @throws Refusal 404 */
  async setTtl(endpointId: string, id: string, ttl: number): Promise<JobRecord> {
    const job = this.get(endpointId, id);
    const changed = withTtl(job, ttl);
    this.#store.jobs.update(job, changed);
    this.#expiry.expectBy(changed.expiresAt);
    await this.#store.flush();
    return changed;
  }

  /** Stores a progress report of a job. Ignored unless the lease is current. */
  async report(endpointId: string, id: string, lease: Lease, output: unknown): Promise<void> {
    await this.#store.largeValues.keep(output, async (kept) => {
      this.apply(endpointId, id, { kind: 'progress', output: kept }, lease);
      return Promise.resolve();
    });
  }

  /** Appends a part of the output of a job. Ignored unless the lease is current. */
  appendChunk(endpointId: string, id: string, lease: Lease, output: unknown): void {
    const job = this.#store.jobs.get(endpointId, id);
    if (job?.status === 'IN_PROGRESS' && isCurrent(lease, job)) this.#streams.append(job, output);
  }

  /** Takes the chunks of a job that have not arrived at a reader yet. See `JobStreams.take`. @throws Refusal 404 */
  takeChunks(endpointId: string, id: string, waitMs: number, signal: AbortSignal) {
    return this.#streams.take(id, () => this.get(endpointId, id), { waitMs, signal });
  }

  /** Waits until the job satisfies the condition. See `JobWaits.wait`. */
  waitFor(
    job: JobRecord,
    waitMs: number,
    signal: AbortSignal,
    satisfied?: (job: JobRecord) => boolean,
  ): Promise<JobRecord> {
    return this.#waits.wait(job, { waitMs, signal, satisfied });
  }

  /** Deletes expired jobs, and schedules the next run. */
  watchExpiry(): void {
    this.#expiry.watch();
  }

  /** Returns the IDs of the jobs of an endpoint that callers wait for. */
  waitedFor(endpointId: string): string[] {
    return this.#waits.idsOf(endpointId);
  }

  /**
   * Removes some jobs of a deleted endpoint in a short transaction. Unfinished jobs are canceled first, so that their listeners are notified.
   * Returns false if none is left.
   *
   * @param waitedFor IDs of jobs to remove first. The removed ones are taken out.
   */
  removeDeleted(endpointId: string, waitedFor: string[]): boolean {
    return this.#expiry.removeDeleted(endpointId, waitedFor);
  }

  /** Stores pending changes and ends every wait. */
  close(): void {
    this.flush();
    this.#streams.close();
    this.#expiry.close();
    this.#waits.close();
    this.#purges.close();
  }

  #commit(changes: readonly Change[]): (JobRecord | undefined)[] {
    return this.#store.transaction((transaction) => {
      const results = changes.map((change) => change());
      transaction.afterCommit(() => this.#notifyCommitted(results.filter((job) => job !== undefined)));
      return results;
    });
  }

  #notifyCommitted(changed: readonly JobRecord[]): void {
    this.#changes.notifyAll(changed);
    this.#expiry.expectBy(changed.reduce((earliest, { expiresAt }) => Math.min(earliest, expiresAt), Infinity));
    const submitted = changed.filter(({ status }) => status === 'IN_QUEUE');
    for (const endpointId of new Set(submitted.map((job) => job.endpointId))) this.#events.onSubmitted(endpointId);
  }
}

/** Returns the SHA-256 of a request, in hexadecimal. */
async function digestOf(request: JobRequest): Promise<string> {
  const hash = createHash('sha256');
  const texts = serialized(request);
  for (const part of textParts(texts)) {
    hash.update(part);
    if (texts.length > 1) await yieldToEventLoop();
  }
  return hash.digest('hex');
}
