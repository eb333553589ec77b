import type { Clock } from '../../../client/clock.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { withState } from './jobStates.ts';
import type { JobObserver, JobOrder } from './jobOrder.ts';

const TICK_MS = 1_000;

interface SightOptions {
  readonly order: JobOrder;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly observer: JobObserver;
  readonly record: (job: StoredJob) => void;
}

/** The states of one submitted job: passes them to the observer, and records each change of the status or the worker. */
export class JobSight {
  readonly #options: SightOptions;
  readonly #over = new AbortController();
  #ticking: Promise<void> | undefined;
  #submittedAt: number;
  #job: Job | undefined;
  #stored: StoredJob | undefined;

  constructor(options: SightOptions) {
    this.#options = options;
    this.#submittedAt = options.clock.now();
  }

  /** Counts the time of the job from now on. Called before each attempt to submit it. */
  readonly onSend = (): void => {
    this.#submittedAt = this.#options.clock.now();
  };

  /** The last state. Undefined until the platform accepts the job. */
  get job(): Job | undefined {
    return this.#job;
  }

  see(job: Job): Job {
    const { clock, observer, order, record } = this.#options;
    const before = this.#stored;
    this.#job = job;
    observer.seen(job);
    if (before?.status !== job.status || before.workerId !== job.workerId) {
      const { endpointId, endpointName, pricePerHour, file } = order;
      const stored: StoredJob = before ?? {
        ...{ id: job.id, endpointId, endpointName, status: job.status },
        ...{ submittedAt: this.#submittedAt, answeredAt: clock.now() },
        ...(pricePerHour !== undefined && { pricePerHour }),
        ...(file !== undefined && { file }),
      };
      this.#stored = withState(stored, job, clock.now());
      record(this.#stored);
    }
    this.#tick();
    return job;
  }

  /** Ends the reports of an unfinished job. */
  async end(): Promise<void> {
    this.#over.abort();
    await this.#ticking;
  }

  #tick(): void {
    this.#wait();
    this.#ticking ??= this.#eachSecond();
  }

  #wait(): void {
    const { clock, observer } = this.#options;
    if (this.#job && !isTerminal(this.#job.status)) observer.waiting(this.#job, clock.now() - this.#submittedAt);
  }

  async #eachSecond(): Promise<void> {
    const { clock, signal } = this.#options;
    while (this.#job && !isTerminal(this.#job.status)) {
      try {
        await clock.sleep(TICK_MS, this.#over.signal);
      } catch (error) {
        if (this.#over.signal.aborted) return;
        throw error;
      }
      if (!signal.aborted) this.#wait();
    }
  }
}
