import { setImmediate as othersFirst } from 'node:timers/promises';
import { isTerminal, type JobRequest } from '../../contract/job.ts';
import type { Clock } from '../time/clock.ts';
import {
  createJob,
  splitChunk,
  transition,
  webhookBody,
  withTtl,
  type JobCounts,
  type JobEvent,
  type JobRecord,
} from '../domain/job.ts';
import { notFound, Refusal } from '../domain/refusal.ts';
import { newJobId } from '../ids.ts';
import { Batch } from '../store/batch.ts';
import type { Store } from '../store/store.ts';

/** What a worker makes of a job. */
export interface JobResult {
  readonly output?: unknown;
  readonly error?: unknown;
}

type ChangeListener = (job: JobRecord | undefined) => void;

/** What the book tells to who has the workers. */
export interface JobQueueEvents {
  /** Jobs have entered the queue of that endpoint. */
  readonly onSubmitted: (endpointId: string) => void;
  /** The job expired before its end, and is gone. */
  readonly onExpired: (job: JobRecord) => void;
  /** The store has webhooks more. */
  readonly onWebhook: () => void;
}

const LONGEST_SLEEP_MS = 3_600_000;

/** How long a cancelled job's stream is answered before it is not found, in ms. */
const STREAM_AFTER_CANCEL_MS = 30_000;

/** Most that `stream` hands out in one answer, in characters of JSON. */
const MAX_STREAM_LENGTH = 20 * 1_048_576;

/** How many jobs one transaction changes when many are to be: after it others get their turn. */
const BATCH = 200;

/** A job that a worker has been given, with the body of its request. */
export interface TakenJob {
  readonly job: JobRecord;
  readonly request: JobRequest;
}

/** To be called in a transaction. Returns the job as it is then; undefined when nothing is to be changed. */
type Change = () => JobRecord | undefined;

/** The jobs: every change goes through the state machine, is stored, and is told to whoever waits for that job. */
export class JobQueue {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<ChangeListener>>();
  readonly #events: JobQueueEvents;
  readonly #changes = new Batch<Change, JobRecord | undefined>(
    (changes) => this.#commit(changes),
    () => this.#store.pendingFlush(),
  );
  #nextSweep = Infinity;
  #cancelSweep: (() => void) | undefined;
  #closed = false;

  constructor(store: Store, clock: Clock, events: JobQueueEvents) {
    this.#store = store;
    this.#clock = clock;
    this.#events = events;
  }

  /** The job is stored when this resolves, in one transaction with what else is submitted and finished at the same time. */
  async submit(endpointId: string, request: JobRequest, kind: 'run' | 'runsync'): Promise<JobRecord> {
    const job = createJob(request, { id: newJobId(kind), endpointId, now: this.#clock.now() });
    await this.#changes.add(this.#insertion(job, request));
    return job;
  }

  /** Takes over jobs that came about elsewhere, in whatever status. All or none. @throws Refusal 409 for an id that is taken */
  adopt(jobs: readonly { readonly record: JobRecord; readonly request: JobRequest }[]): void {
    if (jobs.length === 0) return;
    const ids = new Set(jobs.map(({ record }) => record.id));
    const taken = jobs.find(({ record: { endpointId, id } }) => this.#store.jobs.get(endpointId, id));
    if (taken || ids.size < jobs.length) throw new Refusal(409, 'a job with such an id is there already');
    this.#commit(jobs.map(({ record, request }) => this.#insertion(record, request)));
  }

  /** Stores what a worker made of its job, together with what else is submitted and finished at the same time; ignored unless it has it. */
  async finish(endpointId: string, id: string, workerId: string, result: JobResult): Promise<void> {
    await this.#changes.add(() => this.#change(endpointId, id, { kind: 'finished', ...result }, workerId));
  }

  /** Stores at once what is being submitted and finished: something is about to change that concerns it. */
  flush(): void {
    this.#changes.flush();
  }

  /** The jobs that have waited longest, stored as taken: the first by the first of those workers, and so on while there are any. */
  dispatch(endpointId: string, workerIds: readonly string[]): TakenJob[] {
    const now = this.#clock.now();
    const waiting = this.#store.jobs.queuedWithRequests(endpointId, workerIds.length);
    if (waiting.length === 0) return [];
    return this.#store.transaction((transaction) => {
      const taken: TakenJob[] = [];
      for (const { job: before, request } of waiting) {
        const job = transition(before, { kind: 'taken', workerId: workerIds[taken.length] ?? '' }, now);
        if (!job) continue;
        this.#store.jobs.update(before, job);
        taken.push({ job, request });
      }
      transaction.afterCommit(() => this.#tellAll(taken.map(({ job }) => job)));
      return taken;
    });
  }

  /** The number of jobs of an endpoint in each status. */
  counts(endpointId: string): JobCounts {
    return this.#store.jobs.count(endpointId);
  }

  /** @throws Refusal 404 */
  get(endpointId: string, id: string): JobRecord {
    const job = this.#store.jobs.get(endpointId, id);
    if (!job || job.expiresAt <= this.#clock.now()) throw notFound(`job '${id}'`);
    return job;
  }

  /**
   * The job after the event, stored; undefined when there is no such job or the event does not apply to it.
   *
   * @param workerId whose word that is: it counts only while that worker has the job
   */
  apply(endpointId: string, id: string, event: JobEvent, workerId?: string): JobRecord | undefined {
    return this.#applyAll(endpointId, [id], event, workerId)[0];
  }

  /** Cancels all jobs that are waiting now, and returns how many those were. They can still be read. */
  async purge(endpointId: string): Promise<number> {
    this.flush();
    // Where the clock was set back, they may have been queued at a time that is still to come.
    const queuedBy = this.#store.jobs.lastQueuedAt(endpointId);
    let removed = 0;
    for (;;) {
      const ids = this.#store.jobs.ids(endpointId, 'IN_QUEUE', { queuedBy, limit: BATCH });
      removed += this.#applyAll(endpointId, ids, { kind: 'canceled' }).length;
      if (ids.length < BATCH || this.#closed) return removed;
      await othersFirst();
    }
  }

  /** A retry. @throws Refusal 404, or 400 for a job that has not failed */
  retry(endpointId: string, id: string): JobRecord {
    const { status } = this.get(endpointId, id);
    const job = this.apply(endpointId, id, { kind: 'retried' });
    if (!job) throw new Refusal(400, `only a FAILED or TIMED_OUT job can be retried; this one is ${status}`);
    return job;
  }

  /** Cancels what is waiting or running; a job that has ended is answered as it is. @throws Refusal 404 */
  cancel(endpointId: string, id: string): JobRecord {
    const job = this.get(endpointId, id);
    return this.apply(endpointId, id, { kind: 'canceled' }) ?? job;
  }

  /** Changes when the job is forgotten, in ms from its submission. The change is on disk when this resolves. @throws Refusal 404 */
  async setTtl(endpointId: string, id: string, ttl: number): Promise<JobRecord> {
    const job = this.get(endpointId, id);
    const changed = withTtl(job, ttl);
    this.#store.jobs.update(job, changed);
    this.#sweepBy(changed.expiresAt);
    await this.#store.flush();
    return changed;
  }

  /** Appends output of a job that the worker has; anything else is ignored. */
  appendChunk(endpointId: string, id: string, workerId: string, output: unknown): void {
    const job = this.#store.jobs.get(endpointId, id);
    if (job?.status !== 'IN_PROGRESS' || job.workerId !== workerId) return;
    this.#store.transaction((transaction) => {
      for (const chunk of splitChunk(output)) this.#store.jobs.appendChunk(id, chunk);
      transaction.afterCommit(() => this.#tell(job));
    });
  }

  /**
   * Takes the chunks that nobody has taken yet, once there are any, the job has ended, or that many ms have passed.
   *
   * @throws Refusal 404, also for a job that was cancelled a while ago: there are clients that do not take CANCELLED for an end,
   *   and would ask for ever
   */
  async takeChunks(endpointId: string, id: string, waitMs: number, signal: AbortSignal) {
    let stream: unknown[] = [];
    // Taken while a change is told rather than after the wait, so that a chunk wakes one caller and not two.
    const job = await this.waitFor(this.get(endpointId, id), waitMs, signal, ({ status }) => {
      if (stream.length === 0) stream = this.#store.jobs.takeChunks(id, MAX_STREAM_LENGTH);
      return stream.length > 0 || isTerminal(status);
    });
    const { status, finishedAt = 0 } = job;
    if (status === 'CANCELLED' && stream.length === 0 && this.#clock.now() - finishedAt > STREAM_AFTER_CANCEL_MS) {
      throw notFound(`the stream of job '${id}', which was cancelled,`);
    }
    return { status, stream };
  }

  /**
   * Resolves with the job once it satisfies the condition or that many ms have passed, whichever is first. A job that is removed
   * meanwhile counts as not found.
   *
   * @throws Refusal 404; what the condition throws
   */
  async waitFor(
    job: JobRecord,
    waitMs: number,
    signal: AbortSignal,
    satisfied: (job: JobRecord) => boolean = ({ status }) => isTerminal(status),
  ): Promise<JobRecord> {
    if (satisfied(job) || this.#closed) return job;
    const { endpointId, id } = job;
    const found = await new Promise<JobRecord | undefined>((resolve, reject) => {
      const listeners = this.#listeners.get(id) ?? new Set<ChangeListener>();
      this.#listeners.set(id, listeners);
      const over = (): void => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
        listeners.delete(onChange);
        if (listeners.size === 0) this.#listeners.delete(id);
      };
      const done = (changed?: JobRecord): void => {
        over();
        resolve(changed);
      };
      const onAbort = (): void => done();
      const onChange: ChangeListener = (changed) => {
        try {
          if (!changed || satisfied(changed)) done(changed);
        } catch (error) {
          // The condition is the waiting caller's: its failure is none of the change, which is stored.
          over();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const cancelTimer = this.#clock.after(waitMs, onAbort);
      listeners.add(onChange);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
    if (found) return found;
    return this.#isClosed() ? job : this.get(endpointId, id);
  }

  /** Removes what has expired, and comes back when the next job does. */
  watchExpiry(): void {
    if (this.#closed) return;
    const now = this.#clock.now();
    this.#removeExpired(now);
    this.#nextSweep = Infinity;
    this.#sweepBy(Math.min(this.#store.jobs.nextExpiry() ?? Infinity, now + LONGEST_SLEEP_MS));
  }

  /** Ends every wait. */
  close(): void {
    this.flush();
    this.#closed = true;
    this.#cancelSweep?.();
    for (const listeners of [...this.#listeners.values()]) for (const listener of [...listeners]) listener(undefined);
  }

  #isClosed(): boolean {
    return this.#closed;
  }

  #insertion(job: JobRecord, request: JobRequest): Change {
    return () => {
      this.#store.jobs.insert(job, request);
      return job;
    };
  }

  #commit(changes: readonly Change[]): (JobRecord | undefined)[] {
    return this.#store.transaction((transaction) => {
      const results = changes.map((change) => change());
      transaction.afterCommit(() => this.#tellOfCommitted(results.filter((job) => job !== undefined)));
      return results;
    });
  }

  #tellOfCommitted(changed: readonly JobRecord[]): void {
    this.#tellAll(changed);
    this.#sweepBy(changed.reduce((earliest, { expiresAt }) => Math.min(earliest, expiresAt), Infinity));
    const submitted = changed.filter(({ status }) => status === 'IN_QUEUE');
    for (const endpointId of new Set(submitted.map((job) => job.endpointId))) this.#events.onSubmitted(endpointId);
  }

  /** Writes all changes in one transaction and notifies their listeners after its commit. */
  #applyAll(endpointId: string, ids: readonly string[], event: JobEvent, workerId?: string): JobRecord[] {
    return this.#store.transaction((transaction) => {
      const changed = ids.flatMap((id) => this.#change(endpointId, id, event, workerId) ?? []);
      transaction.afterCommit(() => this.#tellAll(changed));
      return changed;
    });
  }

  #tellAll(changed: readonly JobRecord[]): void {
    for (const job of changed) this.#tell(job);
    if (changed.some(({ status, notifies }) => notifies && isTerminal(status))) this.#events.onWebhook();
  }

  /** To be called in a transaction. */
  #change(endpointId: string, id: string, event: JobEvent, workerId?: string): JobRecord | undefined {
    const now = this.#clock.now();
    const job = this.#store.jobs.get(endpointId, id);
    if (workerId !== undefined && job?.workerId !== workerId) return undefined;
    const changed = job && transition(job, event, now);
    if (!changed) return undefined;
    this.#store.jobs.update(job, changed);
    // Chunks of an attempt that starts over belong to nobody.
    if (changed.status === 'IN_QUEUE') this.#store.jobs.takeChunks(id);
    const told = webhookBody(changed, () => this.#store.jobs.request(id));
    if (told) this.#store.webhooks.insert({ jobId: id, url: told.webhook, body: JSON.stringify(told), dueAt: now });
    return changed;
  }

  /** Who waits for one of them hears of its end, and then it is gone. */
  #removeExpired(now: number): void {
    const expired = this.#store.jobs.expired(now, BATCH);
    this.#store.transaction((transaction) => {
      const unfinished = expired.flatMap(({ id, endpointId }) => {
        const ended = this.#change(endpointId, id, { kind: 'expired' });
        this.#store.jobs.delete(id);
        return ended ?? [];
      });
      transaction.afterCommit(() => {
        this.#tellAll(unfinished);
        for (const job of unfinished) this.#events.onExpired(job);
      });
    });
  }

  #sweepBy(time: number): void {
    if (this.#closed || time >= this.#nextSweep) return;
    this.#nextSweep = time;
    this.#cancelSweep?.();
    this.#cancelSweep = this.#clock.after(Math.max(0, time - this.#clock.now()), () => this.watchExpiry());
  }

  #tell(job: JobRecord): void {
    for (const listener of [...(this.#listeners.get(job.id) ?? [])]) listener(job);
  }
}
