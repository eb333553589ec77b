import { open, type FileHandle } from 'node:fs/promises';

/** A pending fsync. */
interface Round {
  /** Number of writes to the file when it began. */
  readonly written: number;
  readonly done: Promise<void>;
}

/** Maximum delay of `soon`, in ms. */
const SOON_MS = 20;

/** Syncs a file to disk for many callers at once. The file is opened at the first sync and stays open. */
export class SyncedFile {
  readonly #path: string;
  readonly #written: () => number;
  #synced = 0;
  #timer: NodeJS.Timeout | undefined;
  #round: Round | undefined;
  #handle: FileHandle | undefined;

  /** @param written returns the number of writes to the file so far */
  constructor(path: string, written: () => number) {
    this.#path = path;
    this.#written = written;
  }

  /**
   * Resolves once all earlier writes are on disk. Calls during an fsync share the next one. A failed fsync rejects only the calls that
   * wait for it.
   */
  async sync(): Promise<void> {
    const wanted = this.#written();
    while (this.#synced < wanted) {
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
    await this.#handle?.datasync();
  }
}
