/** Ends a subscription. Compatible with VS Code's `Disposable`. */
export interface Subscription {
  dispose(): void;
}

/** Event emitter with the interface of VS Code's `EventEmitter`, for stores that are tested without VS Code. */
export class Emitter<Value> {
  readonly #listeners = new Set<(value: Value) => unknown>();

  readonly event = (listener: (value: Value) => unknown): Subscription => {
    // A wrapper lets the same listener subscribe more than once.
    const own = (value: Value) => listener(value);
    this.#listeners.add(own);
    return { dispose: () => void this.#listeners.delete(own) };
  };

  fire(value: Value): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
