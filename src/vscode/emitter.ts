/** What ends a subscription; VS Code's own disposables are such. */
export interface Subscription {
  dispose(): void;
}

/** An event emitter with the shape of VS Code's, for stores that are tested without it. */
export class Emitter<Value> {
  readonly #listeners = new Set<(value: Value) => unknown>();

  readonly event = (listener: (value: Value) => unknown): Subscription => {
    // An object of its own, so that one listener may subscribe twice.
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
