import { isTerminal } from '../../contract/job.ts';
import type { JobRecord } from '../domain/job.ts';
import type { Clock } from '../time/clock.ts';

export interface WaitOptions {
  /** Maximum time in ms of real time. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Default: the job has ended. */
  readonly satisfied?: ((job: JobRecord) => boolean) | undefined;
}

/** Receives each change of a job, and undefined at the end of all waits. */
type Listener = (job: JobRecord | undefined) => void;

/** A job that callers wait for. */
interface Waited {
  readonly endpointId: string;
  readonly listeners: Set<Listener>;
}

/** Callers that wait for changes of jobs. */
export class JobWaits {
  readonly #realClock: Clock;
  readonly #current: (job: JobRecord) => JobRecord;
  readonly #waited = new Map<string, Waited>();
  #closed = false;

  /** @param current returns the stored job; throws for a job that does not exist */
  constructor(realClock: Clock, current: (job: JobRecord) => JobRecord) {
    this.#realClock = realClock;
    this.#current = current;
  }

  /**
   * Resolves with the job once it satisfies the condition or the time has passed, whichever comes first. A job that is deleted in the
   * meantime counts as not found.
   *
   * @throws Refusal 404; errors of the condition
   */
  async wait(
    job: JobRecord,
    { waitMs, signal, satisfied = ({ status }) => isTerminal(status) }: WaitOptions,
  ): Promise<JobRecord> {
    if (satisfied(job) || this.#closed) return job;
    const { endpointId, id } = job;
    const found = await new Promise<JobRecord | undefined>((resolve, reject) => {
      const waited = this.#waited.get(id) ?? { endpointId, listeners: new Set() };
      const { listeners } = waited;
      this.#waited.set(id, waited);
      const stopWaiting = (): void => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
        listeners.delete(onChange);
        if (listeners.size === 0) this.#waited.delete(id);
      };
      const done = (changed?: JobRecord): void => {
        stopWaiting();
        resolve(changed);
      };
      const onAbort = (): void => done();
      const onChange: Listener = (changed) => {
        try {
          if (!changed || satisfied(changed)) done(changed);
        } catch (error) {
          // The condition belongs to the waiting caller. Its failure must not fail the change, which is stored.
          stopWaiting();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const cancelTimer = this.#realClock.after(waitMs, onAbort);
      listeners.add(onChange);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
    });
    if (found) return found;
    return this.#isClosed() ? job : this.#current(job);
  }

  /** Whether a caller waits for a job. */
  has(jobId: string): boolean {
    return this.#waited.has(jobId);
  }

  /** Returns the IDs of the jobs of an endpoint that callers wait for. */
  idsOf(endpointId: string): string[] {
    return [...this.#waited].filter(([, waited]) => waited.endpointId === endpointId).map(([id]) => id);
  }

  /** Lets the callers that wait for a job check their conditions. */
  notify(job: JobRecord): void {
    for (const listener of [...(this.#waited.get(job.id)?.listeners ?? [])]) listener(job);
  }

  /** Ends all waits. Each resolves with the job as it was at its start. */
  close(): void {
    this.#closed = true;
    for (const { listeners } of [...this.#waited.values()]) for (const listener of [...listeners]) listener(undefined);
  }

  #isClosed(): boolean {
    return this.#closed;
  }
}
