import {
  EMPTY,
  migrateLegacy,
  NewerDocumentError,
  parseDocument,
  serializeDocument,
  type Change,
  type ConnectionDocument,
} from './connectionDocument.ts';

const SECRET = 'cloudCompute.connections';
/** Where versions before 0.2 kept their one connection. */
const LEGACY_SECRET = 'cloudCompute.connection';

/** What is used of the editor's secret storage. Each of it can be rejected: a keyring can be locked, or missing. */
export interface Secrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, text: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
  /** Also of what other windows change. */
  onDidChange(listener: (change: { readonly key: string }) => void): { dispose(): unknown };
}

export interface VaultOptions {
  readonly secrets: Secrets;
  /** The document, or the problem, is another one. */
  readonly changed: () => void;
  readonly newId: () => string;
}

/**
 * Keeps the document of connections in the editor's secret storage, the same in all windows.
 *
 * What a person changes counts at once in this window. It is written by reading what is stored and taking the step again on that, so
 * that what another window wrote meanwhile stays. Steps that could not be written (a keyring that is locked, or missing) count until
 * the window closes, and are written with the next one that can be.
 */
export class ConnectionVault {
  readonly #options: VaultOptions;
  #stored: ConnectionDocument = EMPTY;
  /** Steps that are not stored yet, oldest first. */
  #pending: readonly Change[] = [];
  #document: ConnectionDocument = EMPTY;
  #problem: Error | undefined;
  #queue: Promise<void> = Promise.resolve();
  #subscription: { dispose(): unknown } | undefined;

  constructor(options: VaultOptions) {
    this.#options = options;
  }

  get document(): ConnectionDocument {
    return this.#document;
  }

  /** Why the connections of this window are not the stored ones; undefined while all is well. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Reads what is stored, now and whenever another window writes. */
  load(): Promise<void> {
    this.#subscription ??= this.#options.secrets.onDidChange(({ key }) => {
      if (key === SECRET) void this.#enqueue(() => this.#read());
    });
    return this.#enqueue(() => this.#read());
  }

  /** Takes a step. Resolves when it is stored, or when it is clear that it cannot be: see `problem`. */
  change(step: Change): Promise<void> {
    this.#pending = [...this.#pending, step];
    this.#show();
    return this.#enqueue(() => this.#write());
  }

  /** Tries again to read and to store what could not be. */
  retry(): Promise<void> {
    return this.#enqueue(() => (this.#pending.length > 0 ? this.#write() : this.#read()));
  }

  /** Forgets everything that was ever stored, also what cannot be read. */
  clear(): Promise<void> {
    const step = () => EMPTY;
    this.#pending = [step];
    this.#show();
    return this.#enqueue(async () => {
      try {
        await this.#options.secrets.delete(SECRET);
        await this.#options.secrets.delete(LEGACY_SECRET);
        this.#settle(EMPTY, [step]);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  dispose(): void {
    this.#subscription?.dispose();
  }

  async #read(): Promise<void> {
    try {
      this.#settle(await this.#fetch(), []);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #write(): Promise<void> {
    // Those that come while this is under way are written by their own call.
    const steps = this.#pending;
    if (steps.length === 0) return;
    try {
      const next = steps.reduce((document, step) => step(document), await this.#fetch());
      await this.#options.secrets.store(SECRET, serializeDocument(next));
      this.#settle(next, steps);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @throws what the secret storage fails with; NewerDocumentError */
  async #fetch(): Promise<ConnectionDocument> {
    const { secrets } = this.#options;
    const text = await secrets.get(SECRET);
    if (text !== undefined) return this.#parse(text);
    const legacy = await secrets.get(LEGACY_SECRET);
    if (legacy === undefined) return EMPTY;
    const migrated = migrateLegacy(legacy, this.#options.newId);
    await secrets.store(SECRET, serializeDocument(migrated));
    await secrets.delete(LEGACY_SECRET);
    return migrated;
  }

  /** What is damaged counts as nothing; the next step writes over it. */
  #parse(text: string): ConnectionDocument {
    try {
      return parseDocument(text);
    } catch (error) {
      if (error instanceof NewerDocumentError) throw error;
      return EMPTY;
    }
  }

  #settle(stored: ConnectionDocument, written: readonly Change[]): void {
    this.#stored = stored;
    this.#pending = this.#pending.filter((step) => !written.includes(step));
    const recovered = this.#problem !== undefined;
    this.#problem = undefined;
    this.#show(recovered);
  }

  #fail(error: unknown): void {
    this.#problem = error instanceof Error ? error : new Error(String(error));
    this.#show(true);
  }

  #show(always = false): void {
    const document = this.#pending.reduce((before, step) => step(before), this.#stored);
    const same = serializeDocument(document) === serializeDocument(this.#document);
    this.#document = document;
    if (!same || always) this.#options.changed();
  }

  /** One at a time, in order. A task does not throw. */
  #enqueue(task: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(task);
    return this.#queue;
  }
}
