/** Values that are too large for one row and one transaction. They are stored before the rows that refer to them. */
export interface LargeValueStore {
  /**
   * Stores a large value in several transactions, and resolves with the result of `use`, whose transaction refers to the value. Without a
   * reference, the value is deleted later. `use` gets any other value at once.
   */
  keep<Result>(value: unknown, use: (kept: unknown) => Promise<Result>): Promise<Result>;
  /** Deletes a part of the values without a reference. Returns true if there was one, so that more may be left. */
  deleteUnused(): boolean;
}
