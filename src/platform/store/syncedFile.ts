import { open, type FileHandle } from 'node:fs/promises';
import { grouped } from './grouped.ts';

/** Waits until a file is on disk, for many callers at once. The file is opened at the first wait, and kept open. */
export class SyncedFile {
  readonly #path: string;
  #handle: FileHandle | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when everything written before the call is on disk. A file that is not there yet has nothing to wait for. */
  readonly sync = grouped(async () => {
    this.#handle ??= await open(this.#path, 'r+').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    await this.#handle?.datasync();
  });

  /** Closes the file once nobody waits any more. */
  close(): void {
    void this.#handle?.close();
    this.#handle = undefined;
  }
}
