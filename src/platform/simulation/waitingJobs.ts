/** The jobs or requests that wait for a worker, in order of arrival. Times are ms since the start of the load. */
export class WaitingJobs {
  /** Time of arrival of each job, ascending. */
  readonly arrivals: Float64Array;
  /** Time after which a waiting job expires. */
  readonly ttlMs: number;
  /** Jobs from `first` to before `next` wait. */
  first = 0;
  next = 0;

  constructor(arrivals: Float64Array, ttlMs: number) {
    this.arrivals = arrivals;
    this.ttlMs = ttlMs;
  }

  get count(): number {
    return this.next - this.first;
  }

  /** Time of the next arrival. Infinity if there is none. */
  get arrivesAt(): number {
    return this.arrivals[this.next] ?? Infinity;
  }

  /** Time at which the first job expires. Infinity if no job waits. */
  get expiresAt(): number {
    return this.first < this.next ? this.since(0) + this.ttlMs : Infinity;
  }

  /** Start of the wait of a waiting job. @param index 0 for the first one */
  since(index: number): number {
    return this.arrivals[this.first + index] ?? Infinity;
  }
}
