import { isTerminal, type JobRequest } from '../../../contract/job.ts';
import type { Clock } from '../../clock.ts';
import { createJob, transition, type JobEvent, type JobRecord } from '../../domain/job.ts';
import { notFound, Refusal } from '../../domain/refusal.ts';
import { newJobId } from '../../ids.ts';
import { Batch } from '../../store/batch.ts';
import type { Store } from '../../store/store.ts';

type ChangeListener = (job: JobRecord | undefined) => void;

/** What the book tells to who has the workers. */
export interface JobBookEvents {
  /** Jobs have entered the queue of that endpoint. */
  readonly onSubmitted: (endpointId: string) => void;
  /** The job expired, in whatever status it was. */
  readonly onRemoved: (job: JobRecord) => void;
}

const LONGEST_SLEEP_MS = 3_600_000;

/** The jobs: every change goes through the state machine, is stored, and is told to whoever waits for that job. */
export class JobBook {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<ChangeListener>>();
  readonly #events: JobBookEvents;
  readonly #submitted = new Batch<JobRecord>((jobs) => this.#insert(jobs));
  #cancelExpiry: (() => void) | undefined;
  #closed = false;

  constructor(store: Store, clock: Clock, events: JobBookEvents) {
    this.#store = store;
    this.#clock = clock;
    this.#events = events;
  }

  /** The job is stored when this resolves, in one transaction with those that are submitted at the same time. */
  async submit(endpointId: string, request: JobRequest, kind: 'run' | 'runsync'): Promise<JobRecord> {
    const job = createJob(request, { id: newJobId(kind), endpointId, now: this.#clock.now() });
    await this.#submitted.add(job);
    return job;
  }

  /** Stores at once what is being submitted: the endpoint is about to change in a way that concerns it. */
  settle(): void {
    this.#submitted.flush();
  }

  /** @throws Refusal 404 */
  get(endpointId: string, id: string): JobRecord {
    const job = this.#store.getJob(endpointId, id);
    if (!job || job.expiresAt <= this.#clock.now()) throw notFound(`job '${id}'`);
    return job;
  }

  /** The job after the event, stored; undefined when there is no such job or the event does not apply to it. */
  apply(endpointId: string, id: string, event: JobEvent): JobRecord | undefined {
    const job = this.#store.getJob(endpointId, id);
    const changed = job && transition(job, event, this.#clock.now());
    if (!changed) return undefined;
    this.#store.transaction(() => {
      this.#store.updateJob(changed);
      // Chunks of an attempt that starts over belong to nobody.
      if (changed.status === 'IN_QUEUE') this.#store.takeChunks(id);
    });
    this.#tell(changed);
    return changed;
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
    return this.apply(endpointId, id, { kind: 'cancelled' }) ?? job;
  }

  /** Changes when the job is forgotten, in ms from its submission. */
  setTtl(job: JobRecord, ttl: number): JobRecord {
    const request: JobRequest = { ...job.request, policy: { ...job.request.policy, ttl } };
    const changed: JobRecord = { ...job, request, expiresAt: job.createdAt + ttl };
    this.#store.updateJob(changed);
    this.watchExpiry();
    return changed;
  }

  /** Appends an output chunk of a job that the worker has; anything else is ignored. */
  appendChunk(endpointId: string, id: string, workerId: string, output: unknown): void {
    const job = this.#store.getJob(endpointId, id);
    if (job?.status !== 'IN_PROGRESS' || job.workerId !== workerId) return;
    this.#store.appendChunk(id, output);
    this.#tell(job);
  }

  /**
   * Resolves with the job once it satisfies the condition or that many ms have passed, whichever is first. A job that is removed
   * meanwhile counts as not found.
   *
   * @throws Refusal 404
   */
  async waitFor(
    job: JobRecord,
    waitMs: number,
    signal: AbortSignal,
    satisfied: (job: JobRecord) => boolean = ({ status }) => isTerminal(status),
  ): Promise<JobRecord> {
    if (satisfied(job) || this.#closed) return job;
    const { endpointId, id } = job;
    const found = await new Promise<JobRecord | undefined>((resolve) => {
      const listeners = this.#listeners.get(id) ?? new Set<ChangeListener>();
      this.#listeners.set(id, listeners);
      const done = (changed?: JobRecord): void => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
        listeners.delete(onChange);
        if (listeners.size === 0) this.#listeners.delete(id);
        resolve(changed);
      };
      const onAbort = (): void => done();
      const onChange: ChangeListener = (changed) => {
        if (!changed || satisfied(changed)) done(changed);
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
    this.#cancelExpiry?.();
    if (this.#closed) return;
    const now = this.#clock.now();
    for (const job of this.#store.removeExpiredJobs(now)) {
      for (const listener of [...(this.#listeners.get(job.id) ?? [])]) listener(undefined);
      this.#events.onRemoved(job);
    }
    const next = this.#store.nextExpiry();
    const pause = next === undefined ? LONGEST_SLEEP_MS : Math.min(next - now, LONGEST_SLEEP_MS);
    this.#cancelExpiry = this.#clock.after(pause, () => this.watchExpiry());
  }

  /** Ends every wait. */
  close(): void {
    this.settle();
    this.#closed = true;
    this.#cancelExpiry?.();
    for (const listeners of [...this.#listeners.values()]) for (const listener of [...listeners]) listener(undefined);
  }

  #isClosed(): boolean {
    return this.#closed;
  }

  #insert(jobs: readonly JobRecord[]): void {
    this.#store.transaction(() => {
      for (const job of jobs) this.#store.insertJob(job);
    });
    if (jobs.some(({ request }) => request.policy?.ttl !== undefined)) this.watchExpiry();
    for (const endpointId of new Set(jobs.map((job) => job.endpointId))) this.#events.onSubmitted(endpointId);
  }

  #tell(job: JobRecord): void {
    for (const listener of [...(this.#listeners.get(job.id) ?? [])]) listener(job);
  }
}
