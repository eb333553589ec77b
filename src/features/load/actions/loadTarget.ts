/** How the platform dealt with an arrival. */
export interface Answer {
  readonly outcome: 'completed' | 'failed' | 'timedOut';
  /** Time of the result, in ms since the epoch. */
  readonly endedAt: number;
  /** The reason of a failure, in a few words that many failures share, such as `HTTP 503`. */
  readonly reason?: string | undefined;
  /** Time in the queue and on the worker, in ms, if the platform reports them. */
  readonly queueMs?: number | undefined;
  readonly executionMs?: number | undefined;
}

/** Sends the jobs or requests of a load test. */
export interface LoadTarget {
  /**
   * Sends one job or request. Resolves with its result, or with undefined if the target was closed before. It rejects only for a defect.
   */
  send(): Promise<Answer | undefined>;
  /** Ends all waits. @param cancels whether jobs without a result are canceled on the platform. Requests always end with their connection */
  close(cancels: boolean): Promise<void>;
}
