import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../client/apiError.ts';
import { hasS3Code } from '../../client/s3/s3Error.ts';
import type { ObjectFacts, S3Files, WriteCondition } from '../../client/s3/s3Files.ts';
import { copyFile } from './actions/copyFile.ts';
import { copyFolder, deleteFolder, exists, find, isFolder, isInside, isSameFile } from './actions/fileTree.ts';
import { parseVolumeUri, type VolumeAddress } from './volumeAddress.ts';

/** Maximum size in bytes of a file that the editor reads as a whole. Transfers of larger files use the commands. */
const MAX_BYTES = 256 * 1_048_576;

interface Known {
  readonly etag: string;
  readonly mtime: number;
}

/**
 * The files of network volumes as folders of the editor. A write takes effect only if the object still has the ETag that the editor has
 * last seen. The editor compares times before it saves, and shows its own conflict with *Compare* and *Overwrite*.
 */
export class VolumeFileSystem {
  readonly #open: (address: VolumeAddress) => Promise<S3Files>;
  readonly #changed: (changes: vscode.FileChangeEvent[]) => void;
  readonly #known = new Map<string, Known>();
  /** Files that the key may not write. It can lack the permission, or a worker owns the file. */
  readonly #readonly = new Set<string>();

  constructor(
    open: (address: VolumeAddress) => Promise<S3Files>,
    changed: (changes: vscode.FileChangeEvent[]) => void,
  ) {
    this.#open = open;
    this.#changed = changed;
  }

  /** Forgets which files are read-only, because another key can have other permissions. */
  forgetPermissions(): void {
    this.#readonly.clear();
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { address, files } = await this.#at(uri);
    const { key } = address;
    const permissions = this.#readonly.has(uri.toString()) ? { permissions: vscode.FilePermission.Readonly } : {};
    const folder = { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0, ...permissions };
    return translated(uri, async () => {
      if (key === '') {
        await files.check();
        return folder;
      }
      const facts = await find(files, key);
      if (facts)
        return {
          type: vscode.FileType.File,
          ctime: 0,
          mtime: this.#mtimeOf(uri, facts),
          size: facts.size,
          ...permissions,
        };
      // A file that is created later must not be compared with the deleted one.
      this.#known.delete(uri.toString());
      if (await isFolder(files, key)) return folder;
      throw vscode.FileSystemError.FileNotFound(uri);
    });
  }

  async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    const { address, files } = await this.#at(uri);
    const prefix = address.key === '' ? '' : `${address.key}/`;
    return translated(uri, async () => {
      const entries = new Map<string, vscode.FileType>();
      let isEmpty = true;
      for await (const { objects, directories } of files.pages(prefix)) {
        isEmpty &&= objects.length + directories.length === 0;
        for (const { key } of objects)
          if (!key.endsWith('/')) entries.set(key.slice(prefix.length), vscode.FileType.File);
        for (const one of directories) entries.set(one.slice(prefix.length, -1), vscode.FileType.Directory);
      }
      if (isEmpty && prefix !== '') throw vscode.FileSystemError.FileNotFound(uri);
      return [...entries].filter(([name]) => name !== '');
    });
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { address, files } = await this.#at(uri);
    return translated(uri, async () => {
      const { bytes, ...facts } = await files.get(address.key, { limit: MAX_BYTES });
      this.#mtimeOf(uri, facts);
      return bytes;
    });
  }

  async writeFile(
    uri: vscode.Uri,
    content: Uint8Array,
    { create, overwrite }: { readonly create: boolean; readonly overwrite: boolean },
  ): Promise<void> {
    const { address, files } = await this.#at(uri);
    const known = this.#known.get(uri.toString());
    await this.#write(uri, async () => {
      const isKnown = known !== undefined || (await exists(files, address.key));
      if (!isKnown && !create) throw vscode.FileSystemError.FileNotFound(uri);
      if (isKnown && create && !overwrite) throw vscode.FileSystemError.FileExists(uri);
      const condition: WriteCondition = known ? { ifMatch: known.etag } : overwrite ? undefined : { ifNoneMatch: '*' };
      const { etag } = await files.put(address.key, new Uint8Array(content), condition);
      this.#mtimeOf(uri, { etag, modifiedAt: Date.now() });
      this.#fire(known ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created, uri);
    });
  }

  async createDirectory(uri: vscode.Uri): Promise<void> {
    const { address, files } = await this.#at(uri);
    await this.#write(uri, async () => {
      if ((await exists(files, address.key)) || (await isFolder(files, address.key)))
        throw vscode.FileSystemError.FileExists(uri);
      await files.put(`${address.key}/`, new Uint8Array());
      this.#fire(vscode.FileChangeType.Created, uri);
    });
  }

  async delete(uri: vscode.Uri, { recursive }: { readonly recursive: boolean }): Promise<void> {
    const { address, files } = await this.#at(uri);
    const { key } = address;
    if (key === '') throw vscode.FileSystemError.NoPermissions(l10n.t('Delete the volume in the Resources view.'));
    await this.#write(uri, async () => {
      if (await exists(files, key)) await files.delete(key);
      else if (!(await isFolder(files, key))) throw vscode.FileSystemError.FileNotFound(uri);
      else if (recursive) await deleteFolder(files, key);
      else await files.delete(`${key}/`);
      this.#known.delete(uri.toString());
      this.#fire(vscode.FileChangeType.Deleted, uri);
    });
  }

  async rename(from: vscode.Uri, to: vscode.Uri, options: { readonly overwrite: boolean }): Promise<void> {
    if (from.toString() === to.toString()) return;
    const { address: source, files } = await this.#at(from);
    const { address: target } = await this.#at(to);
    // The copy would be the source, which is then deleted.
    if (
      volumeOf(source) === volumeOf(target) &&
      (await translated(from, () => isSameFile(files, source.key, target.key)))
    )
      throw vscode.FileSystemError.FileExists(to);
    await this.copy(from, to, options);
    await this.delete(from, { recursive: true });
  }

  /** Copies inside one volume. The editor copies between volumes by itself after the error. */
  async copy(from: vscode.Uri, to: vscode.Uri, { overwrite }: { readonly overwrite: boolean }): Promise<void> {
    const { address: source, files } = await this.#at(from);
    const { address: target } = await this.#at(to);
    if (volumeOf(source) !== volumeOf(target))
      throw vscode.FileSystemError.Unavailable(l10n.t('Files cannot be moved between volumes.'));
    if (target.key === source.key) return;
    if (await translated(from, () => isInside(files, target.key, source.key)))
      throw vscode.FileSystemError.NoPermissions(l10n.t('A folder cannot be moved into itself.'));
    await this.#write(to, async () => {
      if (!overwrite && ((await exists(files, target.key)) || (await isFolder(files, target.key))))
        throw vscode.FileSystemError.FileExists(to);
      const facts = await find(files, source.key);
      if (facts) await copyFile(files, { key: source.key, ...facts }, target.key);
      else if (await isFolder(files, source.key)) await copyFolder(files, source.key, target.key);
      else throw vscode.FileSystemError.FileNotFound(from);
      this.#known.delete(to.toString());
      this.#fire(vscode.FileChangeType.Created, to);
    });
  }

  async #at(uri: vscode.Uri): Promise<{ readonly address: VolumeAddress; readonly files: S3Files }> {
    const address = parseVolumeUri(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    try {
      return { address, files: await this.#open(address) };
    } catch (error) {
      throw error instanceof ApiError
        ? fileError(uri, error)
        : vscode.FileSystemError.Unavailable((error as Error).message);
    }
  }

  /** Runs a change. After a refusal, the file is shown as read-only. */
  async #write(uri: vscode.Uri, change: () => Promise<void>): Promise<void> {
    const known = uri.toString();
    try {
      await change();
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'forbidden') {
        this.#readonly.add(known);
        this.#fire(vscode.FileChangeType.Changed, uri);
      }
      throw error instanceof ApiError ? fileError(uri, error) : error;
    }
    this.#readonly.delete(known);
  }

  /** Returns the time of a version. Times of the service have whole seconds, so a later version gets a later time. */
  #mtimeOf(uri: vscode.Uri, { etag, modifiedAt }: Pick<ObjectFacts, 'etag' | 'modifiedAt'>): number {
    const known = this.#known.get(uri.toString());
    if (known?.etag === etag) return known.mtime;
    const mtime = known ? Math.max(modifiedAt, known.mtime + 1) : modifiedAt;
    this.#known.set(uri.toString(), { etag, mtime });
    return mtime;
  }

  #fire(type: vscode.FileChangeType, uri: vscode.Uri): void {
    this.#changed([{ type, uri }]);
  }
}

const volumeOf = ({ connectionId, volumeId }: VolumeAddress): string => `${connectionId}/${volumeId}`;

/** Runs a task, and converts its errors to those that the editor knows. */
async function translated<Result>(uri: vscode.Uri, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    throw error instanceof ApiError ? fileError(uri, error) : error;
  }
}

function fileError(uri: vscode.Uri, error: ApiError): Error {
  const { FileSystemError } = vscode;
  if (error.kind === 'canceled') return new vscode.CancellationError();
  if (error.kind === 'notFound') return FileSystemError.FileNotFound(uri);
  if (hasS3Code(error, 'KeyIsDirectory')) return FileSystemError.FileIsADirectory(uri);
  if (hasS3Code(error, 'ParentIsFile')) return FileSystemError.FileNotADirectory(uri);
  if (hasS3Code(error, 'PreconditionFailed', 'OperationAborted'))
    return FileSystemError.Unavailable(
      l10n.t('Somebody else has changed the file. Save it again to compare both versions.'),
    );
  if (hasS3Code(error, 'QuotaExceeded'))
    return FileSystemError.Unavailable(
      l10n.t('The network volume is full. Grow it from its menu in the view “Resources”.'),
    );
  if (hasS3Code(error, 'StorageFull')) return FileSystemError.Unavailable(l10n.t('The disk of the platform is full.'));
  if (error.kind === 'unauthorized')
    return FileSystemError.NoPermissions(
      l10n.t(
        'The platform did not accept the key for files. “Open Files” in the menu of the volume asks for it again.',
      ),
    );
  if (error.kind === 'forbidden') return FileSystemError.NoPermissions(error.message);
  return FileSystemError.Unavailable(
    error.code === 'tooLarge'
      ? l10n.t('The file is too large for the editor. You can download it from its menu.')
      : error.message,
  );
}
