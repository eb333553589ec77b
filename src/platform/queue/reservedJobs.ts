import type { JobCondition } from '../../contract/jobCondition.ts';
import type { JobRecord } from '../domain/job.ts';
import { wholeJson } from '../domain/largeJson.ts';
import type { JobStore } from '../store/jobStore.ts';
import type { Reservation } from '../workers/debugSession.ts';

/** Number of waiting jobs that are compared with the conditions, unless more workers request jobs. */
const COMPARED = 50;
/** Maximum number of jobs that wait for one debugger. Other workers run the rest, so that a condition cannot stop an endpoint. */
const MAX_RESERVED = 20;

/** What `dispatch` asks about reserved jobs. */
export interface Reservations {
  /** Number of waiting jobs that only some workers receive. */
  readonly size: number;
  /** Returns whether the worker may receive the job. */
  allows(jobId: string, workerId: string): boolean;
}

interface Reserved {
  readonly workerId: string;
  readonly condition: JobCondition;
  /** Results of the condition. The input of a job never changes. */
  readonly results: Map<string, boolean>;
  readonly onTaken: (jobId: string) => void;
  /** Whether the worker receives the jobs now. */
  isOpen: boolean;
}

/**
 * Jobs of an endpoint that wait for a debugged worker. A reservation exists only in memory: a reserved job is a waiting job that no other
 * worker receives. Without the reservation, it is a job like any other.
 */
export class ReservedJobs {
  readonly #endpointId: string;
  readonly #jobs: Pick<JobStore, 'queued' | 'request'>;
  readonly #onChange: () => void;
  readonly #reservations = new Set<Reserved>();

  /** @param onChange called when other workers may receive jobs than before */
  constructor(endpointId: string, jobs: Pick<JobStore, 'queued' | 'request'>, onChange: () => void) {
    this.#endpointId = endpointId;
    this.#jobs = jobs;
    this.#onChange = onChange;
  }

  /**
   * Reserves the jobs that meet a condition for a worker, which receives no other jobs.
   *
   * @param onTaken called when the worker receives a job
   */
  reserve(workerId: string, condition: JobCondition, onTaken: (jobId: string) => void): Reservation {
    const reserved: Reserved = { workerId, condition, onTaken, results: new Map(), isOpen: false };
    this.#reservations.add(reserved);
    this.#onChange();
    return {
      setOpen: (isOpen) => {
        if (reserved.isOpen === isOpen) return;
        reserved.isOpen = isOpen;
        this.#onChange();
      },
      end: () => {
        if (this.#reservations.delete(reserved)) this.#onChange();
      },
    };
  }

  /**
   * Returns the reservations of the jobs that have waited longest. Undefined if there are none.
   *
   * @param count number of jobs that workers request
   */
  reservations(count: number): Reservations | undefined {
    if (this.#reservations.size === 0) return undefined;
    const held = this.#held(count);
    const reserving = new Set([...this.#reservations].map(({ workerId }) => workerId));
    return {
      size: held.size,
      allows: (jobId, workerId) => {
        const reserved = held.get(jobId);
        return reserved ? reserved.isOpen && reserved.workerId === workerId : !reserving.has(workerId);
      },
    };
  }

  /** Reports that a worker receives a job. */
  taken({ id, workerId }: JobRecord): void {
    for (const reserved of this.#reservations) if (reserved.workerId === workerId) reserved.onTaken(id);
  }

  /** Returns the times since which jobs wait for workers without a reservation. @param horizon maximum number */
  waitingSince(horizon: number, queuedSince: (limit: number) => number[]): number[] {
    if (this.#reservations.size === 0) return queuedSince(horizon);
    const held: JobRecord[] = [];
    this.#held(0, (job) => held.push(job));
    const times = queuedSince(horizon + held.length);
    for (const { queuedAt, lowPriority } of held) {
      const at = lowPriority ? -1 : times.indexOf(queuedAt);
      if (at !== -1) times.splice(at, 1);
    }
    return times.slice(0, horizon);
  }

  #held(count: number, onHeld?: (job: JobRecord) => void): ReadonlyMap<string, Reserved> {
    const held = new Map<string, Reserved>();
    const compared = Math.max(count, COMPARED) + MAX_RESERVED * this.#reservations.size;
    const jobs = this.#jobs.queued(this.#endpointId, compared);
    for (const reserved of this.#reservations) {
      let left = MAX_RESERVED;
      const results = new Map<string, boolean>();
      for (const job of jobs) {
        const meets = reserved.results.get(job.id) ?? this.#meets(reserved, job);
        results.set(job.id, meets);
        if (!meets || left === 0 || held.has(job.id)) continue;
        left--;
        held.set(job.id, reserved);
        onHeld?.(job);
      }
      reserved.results.clear();
      for (const [id, meets] of results) reserved.results.set(id, meets);
    }
    return held;
  }

  #meets({ condition }: Reserved, { id }: JobRecord): boolean {
    let input: unknown;
    try {
      ({ input } = this.#jobs.request(id));
    } catch {
      // The request is damaged or gone, which its worker finds out.
      return false;
    }
    return condition({ id, input: wholeJson(input) });
  }
}
