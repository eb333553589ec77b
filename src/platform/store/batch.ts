/**
 * Collects what comes in during one turn of the event loop, or until it is handy, and hands it over together: a transaction for many
 * costs hardly more than one for a single row.
 */
export class Batch<T, R = void> {
  readonly #action: (items: readonly T[]) => readonly R[];
  readonly #handy: () => Promise<void> | undefined;
  #items: T[] = [];
  #round: PromiseWithResolvers<readonly R[]> | undefined;

  /**
   * @param action called with at least one item, returns what comes of each; when it throws, all who added one are told
   * @param handy resolves when it is; undefined, as ever when left out, when it is now
   */
  constructor(action: (items: readonly T[]) => readonly R[], handy: () => Promise<void> | undefined = () => undefined) {
    this.#action = action;
    this.#handy = handy;
  }

  /** Resolves with what came of the item when it has been handed over. */
  async add(item: T): Promise<R> {
    const index = this.#items.push(item) - 1;
    if (!this.#round) {
      const round = (this.#round = Promise.withResolvers());
      setImmediate(() => void this.#flushWhenHandy(round));
    }
    const results = await this.#round.promise;
    return results[index] as R;
  }

  async #flushWhenHandy(round: PromiseWithResolvers<readonly R[]>): Promise<void> {
    await this.#handy();
    // Somebody may have been in a hurry meanwhile.
    if (this.#round === round) this.flush();
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
