import { open, type FileHandle } from 'node:fs/promises';

/** What one wait for the disk covers. */
interface Round {
  /** How often the file had been written to when it began. */
  readonly written: number;
  readonly done: Promise<void>;
}

/** How long those who do not wait may be kept waiting, in ms. */
const SOON_MS = 20;

/** Waits until a file is on disk, for many callers at once. The file is opened at the first wait, and kept open. */
export class SyncedFile {
  readonly #path: string;
  readonly #written: () => number;
  #synced = 0;
  #timer: NodeJS.Timeout | undefined;
  #round: Round | undefined;
  #handle: FileHandle | undefined;

  /** @param written how often the file has been written to so far */
  constructor(path: string, written: () => number) {
    this.#path = path;
    this.#written = written;
  }

  /**
   * Resolves when everything written before the call is on disk. Those who ask while the disk is waited for, and for what was written
   * since, wait for the next round together; a round that fails is told to those whom it was for.
   */
  async sync(): Promise<void> {
    const wanted = this.#written();
    while (this.#synced < wanted) {
      if (this.#round && this.#round.written < wanted) await this.#round.done.catch(() => undefined);
      else await (this.#round ??= this.#begin()).done;
    }
  }

  /** Brings what has been written to disk before long, with one wait for all who ask for that meanwhile. */
  soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // A failure is told to the next who waits: it is tried again for them.
      this.sync().catch(() => undefined);
    }, SOON_MS);
  }

  /** Resolves when the disk is not waited for any more; undefined when it is not now. */
  pending(): Promise<void> | undefined {
    return this.#round?.done.catch(() => undefined);
  }

  /** Closes the file once nobody waits any more. */
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

  /** A file that is not there yet has nothing to wait for. */
  async #toDisk(): Promise<void> {
    this.#handle ??= await open(this.#path, 'r+').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    await this.#handle?.datasync();
  }
}
