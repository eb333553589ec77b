/** Content of a document. */
export interface Content {
  readonly text: string | Uint8Array;
  /** Whether the editor's check for changes reads the document again. */
  readonly isLive?: boolean;
}

/** A content with the time since which the document has its text, in ms since the epoch. */
export interface Version<C> {
  readonly content: C;
  readonly mtime: number;
}

export interface ContentsOptions {
  readonly now: () => number;
  readonly isShown: (key: string) => boolean;
  /** Maximum number of documents that are kept although they are not shown. */
  readonly maxHidden: number;
  /** Called after a read, also if the text is the same. */
  readonly onRead: () => void;
  /** Called after the text of a document that was read before has changed. */
  readonly onChange: (key: string) => void;
}

interface Entry<C> {
  version?: Version<C>;
  /** The newest read in progress. */
  reading?: Promise<Version<C>> | undefined;
  /** Number of the newest read that has started. */
  started: number;
  /** Number of the read or the change that the version comes from. */
  taken: number;
}

/** Contents of documents by key. A read that ends after a newer one has no effect. */
export class Contents<C extends Content> {
  readonly #options: ContentsOptions;
  readonly #entries = new Map<string, Entry<C>>();
  #lastTime = 0;

  constructor(options: ContentsOptions) {
    this.#options = options;
  }

  /** Keys of the documents that are known or being read. */
  get keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Returns the content that was last read. */
  known(key: string): C | undefined {
    return this.#entries.get(key)?.version?.content;
  }

  /** Returns the known version. Waits for a read in progress, or reads the content, if none is known. Rejects with the error of the read. */
  async get(key: string, read: () => Promise<C>): Promise<Version<C>> {
    const { version, reading } = this.#entries.get(key) ?? {};
    return version ?? (await (reading ?? this.refresh(key, read)));
  }

  /** Reads the content again. The known version stays if the read fails. Rejects with the error of the read. */
  refresh(key: string, read: () => Promise<C>): Promise<Version<C>> {
    const entry = this.#entryOf(key);
    const number = ++entry.started;
    const reading = this.#read(key, entry, number, read).finally(() => {
      if (entry.reading === reading) entry.reading = undefined;
      if (!entry.version && !entry.reading && this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    entry.reading = reading;
    return reading;
  }

  /** Replaces the content. Reads in progress have no effect. */
  put(key: string, content: C): void {
    const entry = this.#entryOf(key);
    this.#take(key, entry, ++entry.started, content);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  async #read(key: string, entry: Entry<C>, number: number, read: () => Promise<C>): Promise<Version<C>> {
    const content = await read();
    return number < entry.taken && entry.version ? entry.version : this.#take(key, entry, number, content);
  }

  #take(key: string, entry: Entry<C>, number: number, content: C): Version<C> {
    const before = entry.version;
    const isChanged = before?.content.text !== content.text;
    const version = { content, mtime: before && !isChanged ? before.mtime : this.#newTime() };
    entry.version = version;
    entry.taken = number;
    // The entry is deleted once the document is hidden.
    if (this.#entries.get(key) !== entry) return version;
    this.#deleteHidden(key);
    if (before && isChanged) this.#options.onChange(key);
    this.#options.onRead();
    return version;
  }

  /** The editor reloads a document only if its time has changed. */
  #newTime(): number {
    this.#lastTime = Math.max(this.#options.now(), this.#lastTime + 1);
    return this.#lastTime;
  }

  /** Deletes the oldest documents that are not shown, except the one that was just read and those that are being read. */
  #deleteHidden(newest: string): void {
    const { isShown, maxHidden } = this.#options;
    const hidden = [...this.#entries].filter(([key, { reading }]) => key !== newest && !reading && !isShown(key));
    for (const [key] of hidden.slice(0, Math.max(hidden.length + 1 - maxHidden, 0))) this.#entries.delete(key);
  }

  #entryOf(key: string): Entry<C> {
    const entry = this.#entries.get(key) ?? { started: 0, taken: 0 };
    this.#entries.set(key, entry);
    return entry;
  }
}
