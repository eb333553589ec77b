import { idPart } from '../text/ids.ts';
import { Emitter } from './emitter.ts';
import { anything, number, object, text, type Schema, type ValueOf } from './smallSchema.ts';

/* State that the editor stores for each connection. The key of each value contains the connection's ID. */

/** The members of `vscode.Memento` that this module uses. */
export interface StateStorage {
  keys(): readonly string[];
  get(key: string): unknown;
  /** A value of undefined deletes the key. */
  update(key: string, value: unknown): PromiseLike<void>;
}

const PREFIX = 'cloudCompute.connection/';

/** Returns the storage key of a value that belongs to one connection. @param name name of the value, such as `jobs.recent` */
export function stateKey(connectionId: string, name: string): string {
  return `${PREFIX}${idPart(connectionId)}/${name}`;
}

/** Deletes the values of all connections except these. */
export async function keepStateOf(connectionIds: Iterable<string>, storage: StateStorage): Promise<void> {
  const kept = [...connectionIds].map((id) => stateKey(id, ''));
  const gone = storage.keys().filter((key) => key.startsWith(PREFIX) && !kept.some((start) => key.startsWith(start)));
  await Promise.all(gone.map((key) => storage.update(key, undefined)));
}

/** A stored entry. Without a value, it tells the other windows that the entry was removed. */
const Entry = object({ key: text, time: number }, { value: anything });
type Entry = ValueOf<typeof Entry>;

/** Time in which the windows receive each other's changes, with a reserve, in ms. */
const SETTLED_AFTER_MS = 60_000;

/** Name, form, and maximum number of the entries that a `KeyedState` stores for each connection. */
export interface KeyedStateOptions<Value> {
  readonly name: string;
  readonly schema: Schema<Value>;
  /** Maximum number of entries per connection. The entries that were not written for the longest time are dropped first. */
  readonly max: number;
}

/**
 * Stores entries by key for each connection, in the order in which they were added. All windows share the entries. The editor stores all
 * values of a window at once and tells other windows later, so one window can overwrite the changes of another. Each window therefore
 * remembers its own changes for a minute, and stores them again if they are lost. Of two changes of an entry, the later one applies.
 *
 * Entries that this version cannot read, such as those of a newer version, are not returned but stay stored.
 */
export class KeyedState<Value> {
  readonly #storage: Pick<StateStorage, 'get' | 'update'>;
  readonly #options: KeyedStateOptions<Value>;
  readonly #now: () => number;
  readonly #changed = new Emitter<string>();
  /** Recent changes of this window, by connection and key. */
  readonly #own = new Map<string, Map<string, Entry>>();
  /** Fires with the ID of the connection whose entries this window changed. */
  readonly onDidChange = this.#changed.event;

  constructor(
    storage: Pick<StateStorage, 'get' | 'update'>,
    options: KeyedStateOptions<Value>,
    now: () => number = Date.now,
  ) {
    this.#storage = storage;
    this.#options = options;
    this.#now = now;
  }

  /** Returns the entries of a connection by key, the last added one last. */
  entries(connectionId: string): ReadonlyMap<string, Value> {
    const values = new Map<string, Value>();
    for (const [key, { value }] of this.#read(connectionId)) {
      const read = this.#readValue(value);
      if (read !== undefined) values.set(key, read);
    }
    return values;
  }

  get(connectionId: string, key: string): Value | undefined {
    return this.#readValue(this.#read(connectionId).get(key)?.value);
  }

  /**
   * Adds an entry, or replaces it in place.
   *
   * @returns the keys of the entries that were dropped to make room
   */
  put(connectionId: string, key: string, value: Value): Promise<readonly string[]> {
    return this.change(connectionId, [[key, value]]);
  }

  /** Removes entries. */
  async remove(connectionId: string, keys: Iterable<string>): Promise<void> {
    await this.change(
      connectionId,
      [...keys].map((key) => [key, undefined]),
    );
  }

  /** Makes several changes at once. A value of undefined removes an entry. */
  async change(
    connectionId: string,
    changes: Iterable<readonly [key: string, value: Value | undefined]>,
  ): Promise<readonly string[]> {
    const entries = this.#read(connectionId);
    const own = this.#own.get(connectionId) ?? new Map<string, Entry>();
    this.#own.set(connectionId, own);
    for (const [key, value] of changes) {
      const before = entries.get(key);
      if (!before && value === undefined) continue;
      // Later than the replaced entry, even if the clock was set back.
      const entry = { key, time: Math.max(this.#now(), (before?.time ?? 0) + 1), value };
      // A removed entry that is added again is the last one.
      if (before?.value === undefined) entries.delete(key);
      entries.set(key, entry);
      own.set(key, entry);
    }
    const dropped = this.#dropOldest(connectionId, entries);
    await this.#write(connectionId, entries);
    this.#changed.fire(connectionId);
    return dropped;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #readValue(value: unknown): Value | undefined {
    return value === undefined ? undefined : this.#options.schema.safeParse(value).data;
  }

  /** Returns the stored entries, with those of this window that another window has overwritten, which it stores again. */
  #read(connectionId: string): Map<string, Entry> {
    const stored = this.#storage.get(stateKey(connectionId, this.#options.name));
    // The state of a removed connection stays deleted.
    if (stored === undefined) this.#own.delete(connectionId);
    const entries = new Map<string, Entry>();
    for (const one of Array.isArray(stored) ? (stored as readonly unknown[]) : []) {
      const { data: entry } = Entry.safeParse(one);
      if (entry) entries.set(entry.key, entry);
    }
    const own = this.#own.get(connectionId);
    const lost = [...(own?.values() ?? [])].filter(({ key, time }) => {
      if (this.#isSettled(time)) own?.delete(key);
      return own?.has(key) === true && time > (entries.get(key)?.time ?? -Infinity);
    });
    if (lost.length === 0) return entries;
    for (const entry of lost) entries.set(entry.key, entry);
    this.#dropOldest(connectionId, entries);
    // If it fails, the next access stores the entries.
    void this.#write(connectionId, entries).catch(() => undefined);
    return entries;
  }

  #isSettled(time: number): boolean {
    return time <= this.#now() - SETTLED_AFTER_MS;
  }

  /** Drops the entries over the maximum, and the marks of removed entries that all windows have received. Returns the keys of the entries. */
  #dropOldest(connectionId: string, entries: Map<string, Entry>): readonly string[] {
    const present: Entry[] = [];
    for (const entry of [...entries.values()])
      if (entry.value !== undefined) present.push(entry);
      else if (this.#isSettled(entry.time)) entries.delete(entry.key);
    const excess = Math.max(0, present.length - this.#options.max);
    const dropped = present
      .sort((a, b) => a.time - b.time)
      .slice(0, excess)
      .map(({ key }) => key);
    for (const key of dropped) {
      entries.delete(key);
      this.#own.get(connectionId)?.delete(key);
    }
    return dropped;
  }

  async #write(connectionId: string, entries: ReadonlyMap<string, Entry>): Promise<void> {
    const stored = entries.size === 0 ? undefined : [...entries.values()];
    await this.#storage.update(stateKey(connectionId, this.#options.name), stored);
  }
}
