/**
 * A current transaction. Responses, events, released leases, and webhooks report stored state, so they must not happen before the
 * commit. A failed transaction reports nothing, and can be retried.
 */
export interface Transaction {
  /**
   * Runs an effect once the outermost transaction is committed, in the order of the calls. A failed transaction drops its effects. An
   * effect must not throw, because the transaction has succeeded and its caller must not see an error.
   */
  afterCommit(effect: () => void): void;
  /** Runs an effect once the outermost transaction has failed, to undo changes outside the database, such as a new directory. */
  afterRollback(effect: () => void): void;
}
