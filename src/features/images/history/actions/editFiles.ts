import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { EditedImage, EditSource, FinishedEdit } from '../../model/imageEdit.ts';
import { hashedName } from '../../../../text/fileNames.ts';
import {
  editOf,
  extensionOf,
  isFolderName,
  parseRecord,
  recordOf,
  type KeptRecord,
  type NewRecord,
} from '../model/keptRecord.ts';

/** Maximum number of kept edits. */
const MAX_EDITS = 100;
/** Maximum size of all kept edits, in bytes. */
const MAX_TOTAL_BYTES = 512 * 1_048_576;
/** Age in ms from which an incomplete folder is left over from a crash. */
const LEFT_OVER_MS = 3_600_000;
/** Maximum size of a record, in bytes. */
const MAX_RECORD_BYTES = 262_144;
const RECORD = 'edit.json';
const THUMBNAIL = 'thumbnail.png';
const INCOMPLETE = /^\.[0-9a-f-]{36}$/;

/** Bounds of a history. */
export interface Bounds {
  readonly edits: number;
  readonly bytes: number;
}

/** A kept edit in its folder. */
export interface ListedEdit {
  readonly record: KeptRecord;
  /** Path of the file with the edited image. */
  readonly resultPath: string;
  /** Bytes of all its files. */
  readonly size: number;
  /** Bytes of the edited image. */
  readonly imageSize: number;
  /** Path of the file with a small version of the edited image, if there is one. */
  readonly thumbnailPath?: string | undefined;
}

/** A kept edit with its images. */
export interface LoadedEdit {
  readonly edit: FinishedEdit;
  readonly image: EditedImage;
  /** Undefined if the source was a file that is too large to keep. */
  readonly source: EditSource | undefined;
}

/**
 * Edits in a folder, with a subfolder for each. A subfolder gets its name once its files are complete, so a crash leaves no half of an
 * edit, and two windows can write at the same time.
 */
export class EditFiles {
  readonly #root: string;
  readonly #bounds: Bounds;

  constructor(root: string, bounds: Bounds = { edits: MAX_EDITS, bytes: MAX_TOTAL_BYTES }) {
    this.#root = root;
    this.#bounds = bounds;
  }

  /** Keeps an edit. An edit that is already kept is unchanged. Removes the oldest edits beyond the bounds. @throws the error of the file system */
  async keep(added: NewRecord): Promise<void> {
    const record = recordOf(added);
    const { source, image } = record;
    const folder = path.join(this.#root, hashedName(record.id));
    const incomplete = path.join(this.#root, `.${randomUUID()}`);
    // Images can be private.
    await mkdir(incomplete, { recursive: true, mode: 0o700 });
    try {
      if (added.source.kind === 'file' && source.kind === 'file' && source.hasBytes)
        await writeNew(path.join(incomplete, sourceFile(source.mediaType)), added.source.bytes);
      await writeNew(path.join(incomplete, resultFile(image.mediaType)), added.image.bytes);
      await writeNew(path.join(incomplete, RECORD), JSON.stringify(record));
      await rename(incomplete, folder);
    } catch (error) {
      await rm(incomplete, { recursive: true, force: true });
      if (!(await this.#read(path.basename(folder)))) throw error;
    }
    await this.trim(added.time);
  }

  /** Returns the edits, newest first. Damaged and foreign files are omitted. */
  async list(): Promise<readonly ListedEdit[]> {
    const names = await this.#names();
    const found = await Promise.all(names.filter(isFolderName).map((name) => this.#read(name)));
    return found
      .filter((edit) => edit !== undefined)
      .sort((a, b) => b.record.time - a.record.time || (a.record.id < b.record.id ? -1 : 1));
  }

  /** Reads an edit with its images. Resolves with undefined if it is not kept. */
  async load(id: string): Promise<LoadedEdit | undefined> {
    const listed = await this.#read(hashedName(id));
    if (!listed) return undefined;
    const { record, resultPath } = listed;
    try {
      const bytes = await readFile(resultPath);
      const source = await this.#source(record, path.dirname(resultPath));
      return { edit: editOf(record), image: { bytes, ...record.image }, source };
    } catch {
      return undefined;
    }
  }

  /** Keeps a small version of an edited image, as the bytes of a PNG file. Does nothing if the edit is not kept, or has one. */
  async addThumbnail(id: string, bytes: Uint8Array): Promise<void> {
    const listed = await this.#read(hashedName(id));
    if (!listed || listed.thumbnailPath !== undefined) return;
    const incomplete = path.join(this.#root, `.${randomUUID()}`);
    try {
      await writeNew(incomplete, bytes);
      await rename(incomplete, path.join(path.dirname(listed.resultPath), THUMBNAIL));
    } catch (error) {
      await rm(incomplete, { force: true });
      throw error;
    }
  }

  /** Removes an edit. Does nothing if it is not kept. */
  async remove(id: string): Promise<void> {
    await this.#delete(hashedName(id));
  }

  /** Removes edits beyond the bounds, the oldest first, and what a crash left over. @param now ms since the epoch */
  async trim(now: number): Promise<void> {
    let total = 0;
    for (const [index, { record, size }] of (await this.list()).entries()) {
      total += size;
      const isNewest = index === 0;
      if (!isNewest && (index >= this.#bounds.edits || total > this.#bounds.bytes)) await this.remove(record.id);
    }
    for (const name of (await this.#names()).filter((one) => INCOMPLETE.test(one))) {
      const folder = path.join(this.#root, name);
      const found = await stat(folder).catch(() => undefined);
      if (found && now - found.mtimeMs > LEFT_OVER_MS) await rm(folder, { recursive: true, force: true });
    }
  }

  async #names(): Promise<readonly string[]> {
    return readdir(this.#root).catch(() => []);
  }

  async #read(name: string): Promise<ListedEdit | undefined> {
    const folder = path.join(this.#root, name);
    try {
      const file = path.join(folder, RECORD);
      if ((await lstat(file)).size > MAX_RECORD_BYTES) return undefined;
      const record = parseRecord(await readFile(file, 'utf8'), name);
      if (!record) return undefined;
      const resultPath = path.join(folder, resultFile(record.image.mediaType));
      const names = await readdir(folder);
      const sizes = await Promise.all(names.map(async (one) => (await lstat(path.join(folder, one))).size));
      const image = await lstat(resultPath);
      if (!image.isFile()) return undefined;
      const thumbnailPath = names.includes(THUMBNAIL) ? path.join(folder, THUMBNAIL) : undefined;
      const size = sizes.reduce((sum, one) => sum + one, 0);
      return { record, resultPath, size, imageSize: image.size, thumbnailPath };
    } catch {
      return undefined;
    }
  }

  async #source({ source }: KeptRecord, folder: string): Promise<EditSource | undefined> {
    if (source.kind !== 'file') return source;
    const { kind, name, mediaType, hasBytes } = source;
    if (!hasBytes) return undefined;
    return { kind, name, mediaType, bytes: await readFile(path.join(folder, sourceFile(mediaType))) };
  }

  /** Renames a folder before its files are deleted, so that an interrupted deletion leaves no half of an edit. */
  async #delete(name: string): Promise<void> {
    const folder = path.join(this.#root, name);
    const aside = path.join(this.#root, `.${randomUUID()}`);
    const isAside = await rename(folder, aside).then(
      () => true,
      () => false,
    );
    await rm(isAside ? aside : folder, { recursive: true, force: true });
  }
}

const sourceFile = (mediaType: EditedImage['mediaType']): string => `source.${extensionOf(mediaType)}`;
const resultFile = (mediaType: EditedImage['mediaType']): string => `result.${extensionOf(mediaType)}`;

/** Writes a new file. Resolves once it is on disk. */
async function writeNew(file: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
