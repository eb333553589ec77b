import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { MAX_LISTED_JOBS } from '../../contract/control/controlMetrics.ts';
import { IDEMPOTENCY_KEY_HEADER, isTerminal, type JobRequest } from '../../contract/job.ts';
import type { Clock, Clocks } from '../time/clock.ts';
import {
  createJob,
  splitChunk,
  transition,
  webhookBody,
  withTtl,
  type EndedJobRecord,
  type JobCounts,
  type JobEvent,
  type JobRecord,
} from '../domain/job.ts';
import { accountOfImageQueue } from '../domain/imageQueue.ts';
import type { JobChange } from '../domain/measured.ts';
import { requeueEvent, type JobTraceEvent } from '../domain/jobTraceEvent.ts';
import { serialized, textParts } from '../domain/largeJson.ts';
import { notFound, Refusal } from '../domain/refusal.ts';
import { newJobId } from '../ids.ts';
import type { Reservations } from './reservedJobs.ts';
import { Deliveries, type Delivery } from './deliveries.ts';
import { JobWaits } from './jobWaits.ts';
import { Streams } from './streams.ts';
import { Batch } from '../time/pacing.ts';
import { retryUntilStored } from '../store/fullDisk.ts';
import type { KeyedJob, SubmissionKey } from '../store/jobStore.ts';
import type { Store } from '../store/store.ts';
import { Sweeper } from '../store/sweeper.ts';

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

/** Measures jobs. Its methods are called in the transactions that store the jobs. */
export interface JobMetrics {
  readonly jobChanged: (change: JobChange) => void;
  readonly jobImported: (job: JobRecord) => void;
}

const MAX_SLEEP_MS = 3_600_000;

/** Time for which the stream of a canceled job stays readable, in ms. */
const STREAM_AFTER_CANCEL_MS = 30_000;

/** Maximum size of one `stream` response, in characters of JSON. */
const MAX_STREAM_LENGTH = 20 * 1_048_576;

/** Maximum number of jobs that one transaction changes. The event loop runs other work between transactions. */
const BATCH_SIZE = 200;

const KEY_CONFLICT = `a job was already submitted with this ${IDEMPOTENCY_KEY_HEADER} and another body`;

/** A job that was assigned to a worker, with the body of its request. */
export interface TakenJob {
  readonly job: JobRecord;
  readonly request: JobRequest;
}

/**
 * The right of a worker to report on a job. A lease belongs to one attempt, because the same worker can get a job again after the job was
 * retried, and its reports on the first attempt may arrive late.
 */
export interface Lease {
  readonly workerId: string;
  /** `retries` of the job when the worker took it. Undefined if any attempt is meant, because the worker was lost. */
  readonly attempt?: number;
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
  readonly #realClock: Clock;
  readonly #deliveries: Deliveries;
  readonly #streams: Streams;
  readonly #waits: JobWaits;
  readonly #events: JobQueueEvents;
  readonly #metrics: JobMetrics | undefined;
  readonly #changes = new Batch<Change, JobRecord | undefined>(
    (changes) => this.#commit(changes),
    () => this.#store.pendingFlush(),
  );
  readonly #purges: Sweeper;
  #nextSweep = Infinity;
  #cancelSweep: (() => void) | undefined;
  #closed = false;

  /** @param metrics default: nothing measures the jobs */
  constructor(store: Store, { clock, realClock }: Clocks, events: JobQueueEvents, metrics?: JobMetrics) {
    this.#store = store;
    this.#clock = clock;
    this.#realClock = realClock;
    this.#deliveries = new Deliveries(store.jobs, realClock);
    this.#streams = new Streams(store);
    this.#waits = new JobWaits(realClock, ({ endpointId, id }) => this.get(endpointId, id));
    this.#events = events;
    this.#metrics = metrics;
    this.#purges = new Sweeper(realClock, () => this.#continuePurge(), store);
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
    if (key !== undefined) this.#removeIfExpired(endpointId, key);
    const job = createJob(request, { id: newJobId(kind), endpointId, now: this.#clock.now(), traceParent });
    if (key === undefined) {
      await this.#changes.add(this.#insertion(job, request));
      return job;
    }
    const digest = await digestOf(request);
    let earlier: KeyedJob | undefined;
    await this.#changes.add(() => {
      earlier = this.#store.jobs.withKey(endpointId, key);
      return earlier ? undefined : this.#insertion(job, request, { key, digest })();
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
      this.#remove([...ids].flatMap((id) => this.#store.jobs.getRemoved(id) ?? []));
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
      this.#changes.add(() => this.#change(endpointId, id, { kind: 'finished', ...result, output }, lease)),
    );
  }

  /** Stores all pending submissions and results at once, before a change that depends on them. */
  flush(): void {
    this.#changes.flush();
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
      transaction.afterCommit(() => this.#notifyAll(taken.map(({ job }) => job)));
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
    return this.#applyAll(endpointId, [id], event, lease)[0];
  }

  /**
   * Cancels all jobs that are waiting now, and resolves with their number. They stay readable. If the first part of a long purge is stored,
   * the rest follows, even after a restart.
   */
  async purge(endpointId: string): Promise<number> {
    this.flush();
    // After the clock is set back, the queue times of jobs can be in the future.
    const queuedBy = this.#store.jobs.lastQueuedAt(endpointId);
    let { canceled: removed, ended } = this.#purgePart(endpointId, queuedBy);
    const purgeNext = (): void => {
      const part = this.#purgePart(endpointId, queuedBy);
      removed += part.canceled;
      ended = part.ended;
    };
    while (!ended) {
      await yieldToEventLoop();
      if (this.#closed) break;
      await retryUntilStored(this.#realClock, purgeNext, () => !this.#closed);
    }
    return removed;
  }

  /** Cancels some waiting jobs of a purge in a short transaction. The store keeps the purge until no job is left. */
  #purgePart(endpointId: string, queuedBy: number): { canceled: number; ended: boolean } {
    return this.#store.transaction(() => {
      const ids = this.#store.jobs.ids(endpointId, 'IN_QUEUE', { queuedBy, limit: BATCH_SIZE });
      const ended = ids.length < BATCH_SIZE;
      if (ended) this.#store.jobs.endPurge(endpointId);
      else this.#store.jobs.beginPurge(endpointId, queuedBy);
      return { canceled: this.#applyAll(endpointId, ids, { kind: 'canceled' }).length, ended };
    });
  }

  /** Continues a part of a purge that an earlier platform began. Returns false if there is none. */
  #continuePurge(): boolean {
    const [purge] = this.#store.jobs.purging();
    if (purge) this.#purgePart(purge.endpointId, purge.queuedBy);
    return purge !== undefined;
  }

  /** Continues the work of an earlier platform. */
  recover(): void {
    this.#purges.wake();
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
    this.#sweepBy(changed.expiresAt);
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
    if (job?.status !== 'IN_PROGRESS' || !isCurrent(lease, job)) return;
    this.#store.transaction((transaction) => {
      for (const chunk of splitChunk(output)) this.#store.jobs.appendChunk(id, chunk);
      this.#streams.chunk(job, this.#clock.now(), transaction);
      transaction.afterCommit(() => this.#waits.notify(job));
    });
  }

  /**
   * Takes the chunks that have not arrived at a reader yet. Waits until there is one, the job has ended, or `waitMs` ms have passed. The
   * caller ends the delivery. Chunks that do not arrive are taken again.
   *
   * @throws Refusal 404; also for a job that was canceled some time ago, because some clients do not treat CANCELLED as an end and would
   *   poll forever
   */
  async takeChunks(endpointId: string, id: string, waitMs: number, signal: AbortSignal) {
    // The failure of an earlier reader's connection may be among the events of this turn.
    if (this.#deliveries.isUncertain(id)) await yieldToEventLoop();
    let delivery: Delivery | undefined;
    // Taken inside the condition rather than after the wait, so that a chunk wakes only one caller.
    const job = await this.waitFor(this.get(endpointId, id), waitMs, signal, ({ status }) => {
      delivery ??= this.#deliveries.next(id, MAX_STREAM_LENGTH, () => this.#wake(endpointId, id));
      // The chunks of a pending delivery may return.
      return delivery !== undefined || (isTerminal(status) && !this.#deliveries.isPending(id));
    });
    const { status, finishedAt = 0 } = job;
    if (status === 'CANCELLED' && !delivery && this.#clock.now() - finishedAt > STREAM_AFTER_CANCEL_MS) {
      throw notFound(`the stream of canceled job '${id}'`);
    }
    return { status, delivery };
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
    if (this.#closed) return;
    const now = this.#clock.now();
    this.#removeExpired(now);
    this.#nextSweep = Infinity;
    this.#sweepBy(Math.min(this.#store.jobs.nextExpiry() ?? Infinity, now + MAX_SLEEP_MS));
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
    const { jobs } = this.#store;
    const unfinished =
      waitedFor.length > 0
        ? waitedFor.splice(0, BATCH_SIZE).map((id) => ({ id, endpointId }))
        : jobs.unfinishedRemoved(endpointId);
    if (unfinished.length === 0) return jobs.deleteRemoved(endpointId);
    this.#remove(unfinished);
    return true;
  }

  /** Stores pending changes and ends every wait. */
  close(): void {
    this.flush();
    this.#deliveries.close();
    this.#closed = true;
    this.#cancelSweep?.();
    this.#waits.close();
    this.#purges.close();
  }

  #insertion(job: JobRecord, request: JobRequest, key?: SubmissionKey): Change {
    return () => {
      this.#store.jobs.insert(job, request, key);
      this.#metrics?.jobChanged({ before: undefined, after: job });
      return job;
    };
  }

  #commit(changes: readonly Change[]): (JobRecord | undefined)[] {
    return this.#store.transaction((transaction) => {
      const results = changes.map((change) => change());
      transaction.afterCommit(() => this.#notifyCommitted(results.filter((job) => job !== undefined)));
      return results;
    });
  }

  #notifyCommitted(changed: readonly JobRecord[]): void {
    this.#notifyAll(changed);
    this.#sweepBy(changed.reduce((earliest, { expiresAt }) => Math.min(earliest, expiresAt), Infinity));
    const submitted = changed.filter(({ status }) => status === 'IN_QUEUE');
    for (const endpointId of new Set(submitted.map((job) => job.endpointId))) this.#events.onSubmitted(endpointId);
  }

  /** Writes all changes in one transaction and notifies their listeners after its commit. */
  #applyAll(endpointId: string, ids: readonly string[], event: JobEvent, lease?: Lease): JobRecord[] {
    return this.#store.transaction((transaction) => {
      const changed = ids.flatMap((id) => this.#change(endpointId, id, event, lease) ?? []);
      transaction.afterCommit(() => this.#notifyAll(changed));
      return changed;
    });
  }

  #notifyAll(changed: readonly JobRecord[]): void {
    for (const job of changed) this.#waits.notify(job);
    if (changed.some(({ status, notifies }) => notifies && isTerminal(status))) this.#events.onWebhook();
  }

  /** Must be called in a transaction. Returns undefined if there is nothing to change. */
  #change(endpointId: string, id: string, event: JobEvent, lease?: Lease): JobRecord | undefined {
    const job = this.#store.jobs.get(endpointId, id);
    if (!job || (lease && !isCurrent(lease, job))) return undefined;
    return this.#transition(job, event);
  }

  /** Must be called in a transaction. Returns undefined if the event does not apply to the job. */
  #transition(job: JobRecord, event: JobEvent): JobRecord | undefined {
    const now = this.#clock.now();
    const { id, endpointId } = job;
    const changed = transition(job, event, now);
    if (!changed) return undefined;
    this.#store.jobs.update(job, changed);
    this.#metrics?.jobChanged({ before: job, after: changed });
    if (event.kind !== 'progress') this.#streams.attemptEnded(id);
    if (isTerminal(changed.status)) this.#reportEnd(changed);
    const requeued = requeueEvent({ before: job, after: changed }, event, now);
    if (requeued) this.#store.traces.addJobEvent(id, requeued);
    // Discards the chunks of the previous attempt.
    if (changed.status === 'IN_QUEUE') this.#discardChunks(id);
    const webhook = webhookBody(changed, () => this.#store.jobs.request(id));
    if (webhook) {
      const accountId = accountOfImageQueue(endpointId) ?? this.#store.endpoints.accountOf(endpointId) ?? '';
      const body = JSON.stringify(webhook);
      this.#store.webhooks.insert({ jobId: id, accountId, url: webhook.webhook, body, dueAt: now });
    }
    return changed;
  }

  #reportEnd(job: JobRecord): void {
    const { onEnded } = this.#events;
    if (onEnded) this.#store.transaction((transaction) => transaction.afterCommit(() => onEnded(job)));
  }

  #discardChunks(id: string): void {
    this.#store.transaction((transaction) => {
      this.#store.jobs.deleteChunks(id);
      transaction.afterCommit(() => this.#deliveries.forget(id));
    });
  }

  /** Deletes expired jobs. Unfinished jobs time out first, so that their listeners are notified. */
  #removeExpired(now: number): void {
    this.#remove(this.#store.jobs.expired(now, BATCH_SIZE));
  }

  /** Deletes the job with a key if it has expired, so that the key can be used again. */
  #removeIfExpired(endpointId: string, key: string): void {
    const earlier = this.#store.jobs.withKey(endpointId, key);
    const job = earlier && this.#store.jobs.get(endpointId, earlier.id);
    if (job && job.expiresAt <= this.#clock.now()) this.#remove([job]);
  }

  /** Ends jobs that have expired, or whose endpoint is deleted, and deletes them. */
  #remove(expired: readonly Pick<JobRecord, 'id' | 'endpointId'>[]): void {
    this.#store.transaction((transaction) => {
      const unfinished = expired.flatMap(({ id, endpointId }) => {
        const ended = this.#change(endpointId, id, { kind: 'expired' }) ?? this.#cancelRemoved(id);
        this.#store.jobs.delete(id);
        return ended ?? [];
      });
      transaction.afterCommit(() => {
        this.#notifyAll(unfinished);
        for (const job of unfinished) this.#events.onExpired(job);
      });
    });
  }

  /** Cancels an unfinished job of a deleted endpoint. Must be called in a transaction. */
  #cancelRemoved(id: string): JobRecord | undefined {
    const job = this.#store.jobs.getRemoved(id);
    return job && this.#transition(job, { kind: 'canceled' });
  }

  #sweepBy(time: number): void {
    if (this.#closed || time >= this.#nextSweep) return;
    this.#nextSweep = time;
    this.#cancelSweep?.();
    this.#cancelSweep = this.#clock.after(Math.max(0, time - this.#clock.now()), () => this.watchExpiry());
  }

  /** Lets the waiting callers of a job check their conditions. */
  #wake(endpointId: string, id: string): void {
    const job = this.#waits.has(id) ? this.#store.jobs.get(endpointId, id) : undefined;
    if (job) this.#waits.notify(job);
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

/** Whether the worker has the attempt of the job that runs now. */
function isCurrent({ workerId, attempt }: Lease, job: JobRecord): boolean {
  return job.workerId === workerId && (attempt === undefined || job.retries === attempt);
}
