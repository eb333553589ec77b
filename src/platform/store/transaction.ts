/**
 * A transaction under way. Answers, events, released leases, and webhooks report what is stored, so they must not happen before the commit:
 * a transaction that fails leaves nothing reported and everything retryable.
 */
export interface Transaction {
  /**
   * Runs an effect once the outermost transaction is committed, in the order of the calls. A transaction that fails drops its effects. An
   * effect must not throw: the transaction has succeeded, so its caller cannot be told.
   */
  afterCommit(effect: () => void): void;
  /** Runs an effect once the outermost transaction has failed: it removes what the database does not roll back, such as a directory. */
  afterRollback(effect: () => void): void;
}
