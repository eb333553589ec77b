import type { StateStorage } from './keyedState.ts';

/** Maximum number of writes of one value. Another window can write the same value each time. */
const MAX_ATTEMPTS = 3;

/**
 * The global state of the extension, in which a written value stays.
 *
 * After each write, the editor replaces the whole state by the copy of its main process. That copy lacks the writes that were sent later. A
 * second write can therefore disappear, and the next write of any value then stores the state without it. So this storage sends one batch of
 * writes at a time, returns their values until the editor has them, and writes a value again that has disappeared.
 */
export class SettledState implements StateStorage {
  readonly #storage: StateStorage;
  readonly #written = new Map<string, unknown>();
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(storage: StateStorage) {
    this.#storage = storage;
  }

  keys(): readonly string[] {
    return [...new Set([...this.#storage.keys(), ...this.#written.keys()])].filter(
      (key) => this.get(key) !== undefined,
    );
  }

  get(key: string): unknown {
    return this.#written.has(key) ? this.#written.get(key) : this.#storage.get(key);
  }

  update(key: string, value: unknown): Promise<void> {
    // As in the editor, later changes of the object have no effect.
    this.#written.set(key, value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
    this.#next ??= this.#last.then(() => this.#write());
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }

  async #write(): Promise<void> {
    this.#next = undefined;
    const batch = [...this.#written];
    try {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const missing = batch.filter(([key, value]) => attempts === 0 || !isSame(this.#storage.get(key), value));
        if (missing.length === 0) break;
        await Promise.all(missing.map(([key, value]) => this.#storage.update(key, value)));
      }
    } finally {
      for (const [key, value] of batch) if (this.#written.get(key) === value) this.#written.delete(key);
    }
  }
}

function isSame(stored: unknown, value: unknown): boolean {
  return JSON.stringify(stored) === JSON.stringify(value);
}
