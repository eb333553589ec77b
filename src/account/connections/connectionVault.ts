import { EMPTY, parseDocument, serializeDocument, type Change, type ConnectionDocument } from './connectionDocument.ts';

const SECRET = 'cloudCompute.connections';

/** The part of the editor's secret storage that this module uses. Each call rejects when the keyring is locked or missing. */
export interface Secrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, text: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
  /** Also reports changes that other windows make. */
  onDidChange(listener: (change: { readonly key: string }) => void): { dispose(): unknown };
}

export interface VaultOptions {
  readonly secrets: Secrets;
  /** Called after the document or the problem changes. */
  readonly changed: () => void;
}

/**
 * Keeps the document of connections in the editor's secret storage, which all windows share.
 *
 * A change takes effect in this window immediately. To store it, the vault reads the stored document and applies the change to that, so
 * that changes from other windows are kept. A change that cannot be stored, for example while the keyring is locked, stays in effect
 * until the window closes. The vault stores it together with the next change that succeeds.
 */
export class ConnectionVault {
  readonly #options: VaultOptions;
  #stored: ConnectionDocument = EMPTY;
  /** Changes that are not stored yet, oldest first. */
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

  /** Reason why the connections of this window differ from the stored ones. Undefined if they do not differ. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Reads the stored document now, and again after each write by another window. */
  load(): Promise<void> {
    this.#subscription ??= this.#options.secrets.onDidChange(({ key }) => {
      if (key === SECRET) void this.#enqueue(() => this.#read());
    });
    return this.#enqueue(() => this.#read());
  }

  /** Applies a change. Resolves once the change is stored or the write has failed; see `problem`. */
  change(step: Change): Promise<void> {
    this.#pending = [...this.#pending, step];
    this.#show();
    return this.#enqueue(() => this.#write());
  }

  /** Retries the reads and writes that failed. */
  retry(): Promise<void> {
    return this.#enqueue(() => (this.#pending.length > 0 ? this.#write() : this.#read()));
  }

  /** Deletes all stored connections, including unreadable ones. */
  clear(): Promise<void> {
    const step = () => EMPTY;
    this.#pending = [step];
    this.#show();
    return this.#enqueue(async () => {
      try {
        await this.#options.secrets.delete(SECRET);
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
    // A later change schedules its own write.
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

  /** @throws an error for a document that is damaged or newer, which is never overwritten; any error of the secret storage */
  async #fetch(): Promise<ConnectionDocument> {
    const text = await this.#options.secrets.get(SECRET);
    return text === undefined ? EMPTY : parseDocument(text);
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

  /** Runs tasks one at a time, in order. A task must not throw. */
  #enqueue(task: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(task);
    return this.#queue;
  }
}
