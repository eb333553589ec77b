import { open, type FileHandle } from 'node:fs/promises';

/** A file of a batch, to which text is appended. Concurrent calls share one fsync. */
export class AppendedFile {
  readonly #handle: FileHandle;
  #size: number;
  #texts: string[] = [];
  #round: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.#size = size;
  }

  /** Opens a file, or creates it for its user only. @param length content after this many bytes is removed. Default: all content stays */
  static async open(path: string, length?: number): Promise<AppendedFile> {
    const handle = await open(path, 'a', 0o600);
    try {
      if (length !== undefined) await handle.truncate(length);
      return new AppendedFile(handle, (await handle.stat()).size);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Position of the next text, in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Resolves once the text is on disk. Texts are written in the order of the calls. */
  append(text: string): Promise<void> {
    this.#texts.push(text);
    this.#size += Buffer.byteLength(text);
    return (this.#round ??= this.#write());
  }

  /** Resolves once all earlier texts are written. */
  async close(): Promise<void> {
    await this.#round?.catch(() => undefined);
    await this.#writing.catch(() => undefined);
    await this.#handle.close();
  }

  async #write(): Promise<void> {
    // The next round starts once the disk has the previous one, with all texts of the meantime.
    await this.#writing;
    const texts = this.#texts;
    [this.#texts, this.#round] = [[], undefined];
    this.#writing = this.#handle.appendFile(texts.join('')).then(() => this.#handle.datasync());
    await this.#writing;
  }
}
