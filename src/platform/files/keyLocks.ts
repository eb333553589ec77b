/** Runs work on the same key one after the other. */
export class KeyLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const done = (before ?? Promise.resolve()).then(work, work);
    const settled = done.catch(() => undefined);
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return done;
  }
}
