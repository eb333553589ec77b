import type { QueueWait } from '../domain/startProgress.ts';

interface Waiting {
  /** Number of GPUs. */
  readonly needed: number;
  readonly enter: () => void;
}

/**
 * Limits the number of workers that this machine runs at a time, and assigns its GPUs to them. A worker receives its slot and its GPUs
 * together. Workers without them wait in order of arrival, except that those without GPUs overtake those that wait for GPUs.
 */
export class HostCapacity {
  readonly limit: number;
  #taken = 0;
  #gpus: readonly string[] = [];
  readonly #takenGpus = new Set<string>();
  readonly #waiting = new Set<Waiting>();
  #onTooFewGpus: () => void = () => undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Number of GPUs for workers. */
  get gpuCount(): number {
    return this.#gpus.length;
  }

  /** GPUs that workers have. */
  get gpusInUse(): ReadonlySet<string> {
    return this.#takenGpus;
  }

  /** Replaces the GPUs for workers. Workers keep those that they have. @param gpus their UUIDs */
  setGpus(gpus: readonly string[]): void {
    this.#gpus = gpus;
    this.#admitWaiting();
  }

  /** Calls back when a worker needs more GPUs than there are. */
  whenTooFewGpus(callback: () => void): void {
    this.#onTooFewGpus = callback;
  }

  /** Returns why the next worker would wait, or undefined if it is admitted at once. @param gpus number that it needs */
  waitFor(gpus = 0): QueueWait | undefined {
    if (this.#taken >= this.limit) return { kind: 'waitingForSlot', total: this.limit };
    const mustWait = this.#hasTooFew(gpus) || (gpus > 0 && [...this.#waiting].some(({ needed }) => needed > 0));
    return mustWait ? { kind: 'waitingForGpus', needed: gpus, total: this.gpuCount } : undefined;
  }

  /**
   * Calls back with the UUIDs of its GPUs once a slot and that many GPUs are free, or immediately if they are free now. A worker that needs
   * more GPUs than there are would wait forever: it gets a slot without GPUs, and must fail.
   *
   * @returns a function that releases the slot and the GPUs, or stops waiting for them; further calls do nothing
   */
  admit(onAdmitted: (gpus: readonly string[]) => void, gpus = 0): () => void {
    const needed = gpus > this.gpuCount ? 0 : gpus;
    if (needed < gpus) this.#onTooFewGpus();
    let assigned: readonly string[] | undefined;
    let left = false;
    const waiting: Waiting = {
      needed,
      enter: () => {
        assigned = this.#freeGpus().slice(0, needed);
        for (const gpu of assigned) this.#takenGpus.add(gpu);
        this.#taken++;
        onAdmitted(assigned);
      },
    };
    const mustWait = this.waitFor(needed) !== undefined;
    if (mustWait) this.#waiting.add(waiting);
    else waiting.enter();
    return () => {
      if (left) return;
      left = true;
      if (assigned) this.#release(assigned);
      else this.#waiting.delete(waiting);
      // A worker that no longer waits for GPUs may have been the first in line.
      this.#admitWaiting();
    };
  }

  /**
   * Takes a slot and these GPUs for a process that already runs, even if none is free.
   *
   * @returns a function that releases them; further calls do nothing
   */
  occupy(gpus: readonly string[]): () => void {
    this.#taken++;
    for (const gpu of gpus) this.#takenGpus.add(gpu);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#release(gpus);
      this.#admitWaiting();
    };
  }

  #release(gpus: readonly string[]): void {
    this.#taken--;
    for (const gpu of gpus) this.#takenGpus.delete(gpu);
  }

  #freeGpus(): string[] {
    return this.#gpus.filter((gpu) => !this.#takenGpus.has(gpu));
  }

  #hasTooFew(gpus: number): boolean {
    return gpus > 0 && gpus <= this.gpuCount && this.#freeGpus().length < gpus;
  }

  #admitWaiting(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.delete(next);
      next.enter();
    }
  }

  /** Returns the first waiting worker that can be admitted. Workers with GPUs keep their order. */
  #next(): Waiting | undefined {
    if (this.#taken >= this.limit) return undefined;
    let gpusAwaited = false;
    for (const waiting of this.#waiting) {
      if (waiting.needed === 0) return waiting;
      if (!gpusAwaited && !this.#hasTooFew(waiting.needed)) return waiting;
      gpusAwaited = true;
    }
    return undefined;
  }
}
