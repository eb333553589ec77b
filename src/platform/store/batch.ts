/**
 * Collects what comes in during one turn of the event loop, and hands it over together: a transaction for many costs hardly
 * more than one for a single row.
 */
export class Batch<T> {
  readonly #action: (items: readonly T[]) => void;
  #items: T[] = [];
  #round: PromiseWithResolvers<void> | undefined;

  /** @param action called with at least one item; when it throws, all who added one are told */
  constructor(action: (items: readonly T[]) => void) {
    this.#action = action;
  }

  /** Resolves when the item has been handed over. */
  add(item: T): Promise<void> {
    this.#items.push(item);
    if (!this.#round) {
      this.#round = Promise.withResolvers();
      setImmediate(() => this.flush());
    }
    return this.#round.promise;
  }

  /** Hands over now what has come in. */
  flush(): void {
    const [items, round] = [this.#items, this.#round];
    if (!round) return;
    this.#items = [];
    this.#round = undefined;
    try {
      this.#action(items);
      round.resolve();
    } catch (error) {
      round.reject(error);
    }
  }
}
