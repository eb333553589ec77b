import { open, type FileHandle } from 'node:fs/promises';

/** A pending fsync. */
interface Round {
  /** Number of writes to the file when it began. */
  readonly written: number;
  readonly done: Promise<void>;
}

/** Maximum delay of `soon`, in ms. */
const SOON_MS = 20;

/**
 * Syncs a file to disk for many callers at once. The file is opened at the first sync and stays open.
 *
 * A failed fsync is final. The kernel may have dropped the writes that it covered, and then reports success for the next one.
 */
export class SyncedFile {
  readonly #path: string;
  readonly #written: () => number;
  readonly #onFailed: (error: Error) => void;
  #failure: Error | undefined;
  #synced = 0;
  #timer: NodeJS.Timeout | undefined;
  #round: Round | undefined;
  #handle: FileHandle | undefined;

  /**
   * @param written returns the number of writes to the file so far
   * @param onFailed called once if an fsync fails
   */
  constructor(path: string, written: () => number, onFailed: (error: Error) => void = () => undefined) {
    this.#path = path;
    this.#written = written;
    this.#onFailed = onFailed;
  }

  /** Whether an fsync failed. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Resolves once all earlier writes are on disk. Calls during an fsync share the next one. A failed fsync rejects all calls that wait
   * for it or for a later one. If the file cannot be opened, only the calls that wait for it are rejected.
   */
  async sync(): Promise<void> {
    const wanted = this.#written();
    while (this.#synced < wanted) {
      if (this.#failure) throw this.#failure;
      if (this.#round && this.#round.written < wanted) await this.#round.done.catch(() => undefined);
      else await (this.#round ??= this.#begin()).done;
    }
  }

  /** Syncs within milliseconds. Calls in the meantime share one fsync. */
  soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The next caller of `sync` retries and gets any failure.
      this.sync().catch(() => undefined);
    }, SOON_MS);
  }

  /** Resolves once no fsync is pending. Returns undefined if none is pending now. */
  pending(): Promise<void> | undefined {
    return this.#round?.done.catch(() => undefined);
  }

  /** Records that an fsync of the file failed, here or in other code that writes to the file. */
  fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#onFailed(error);
  }

  /** Closes the file after the pending fsync, if any. */
  close(): void {
    clearTimeout(this.#timer);
    void this.#handle?.close();
    this.#handle = undefined;
  }

  #begin(): Round {
    const written = this.#written();
    const done = this.#toDisk().then(() => {
      this.#synced = written;
    });
    return { written, done: done.finally(() => (this.#round = undefined)) };
  }

  /** A file that does not exist yet needs no fsync. */
  async #toDisk(): Promise<void> {
    this.#handle ??= await open(this.#path, 'r+').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    await this.#handle?.datasync().catch((error: unknown) => {
      this.fail(error as Error);
      throw error;
    });
  }
}
