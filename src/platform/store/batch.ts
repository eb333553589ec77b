/**
 * Collects what comes in during one turn of the event loop, and hands it over together: a transaction for many costs hardly
 * more than one for a single row.
 */
export class Batch<T, R = void> {
  readonly #action: (items: readonly T[]) => readonly R[];
  #items: T[] = [];
  #round: PromiseWithResolvers<readonly R[]> | undefined;

  /** @param action called with at least one item, returns what comes of each; when it throws, all who added one are told */
  constructor(action: (items: readonly T[]) => readonly R[]) {
    this.#action = action;
  }

  /** Resolves with what came of the item when it has been handed over. */
  async add(item: T): Promise<R> {
    const index = this.#items.push(item) - 1;
    if (!this.#round) {
      this.#round = Promise.withResolvers();
      setImmediate(() => this.flush());
    }
    const results = await this.#round.promise;
    return results[index] as R;
  }

  /** Hands over now what has come in. */
  flush(): void {
    const [items, round] = [this.#items, this.#round];
    if (!round) return;
    this.#items = [];
    this.#round = undefined;
    try {
      round.resolve(this.#action(items));
    } catch (error) {
      round.reject(error);
    }
  }
}
