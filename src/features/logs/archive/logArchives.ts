import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { removeFolder } from '../../../machine/folderLock.ts';
import { workerKey, type LoggedWorker } from '../model/logSubject.ts';
import { LogArchive, workerOfArchive } from './logArchive.ts';
import { hashedName } from '../../../text/fileNames.ts';

/** Number of windows that can have an archive of the same worker. Each has its own. */
const MAX_WINDOWS = 8;
/** Number of opened archives after which the size of all archives is checked again. The first one causes a check, too. */
const CHECKED_EACH = 50;

export interface ArchiveLimits {
  /** Maximum size of one archive, in bytes. */
  readonly each: number;
  /** Maximum size of all archives, in bytes. */
  readonly all: number;
}

/** The archives of all workers, in a folder. */
export class LogArchives {
  readonly #folder: () => string;
  readonly #limits: () => ArchiveLimits;
  readonly #open = new Map<string, Promise<LogArchive>>();
  #opened = 0;
  #removing: Promise<void> = Promise.resolve();
  #closing: Promise<unknown> = Promise.resolve();

  /** @param folder path of the folder, which need not exist */
  constructor(folder: () => string, limits: () => ArchiveLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** Opens the archive of a worker, or returns the open one. @throws an error of the file system */
  open(worker: LoggedWorker): Promise<LogArchive> {
    const key = workerKey(worker);
    const known = this.#open.get(key);
    if (known) return known;
    const opening = this.#openFirstFree(worker);
    this.#open.set(key, opening);
    opening.then(
      () => {
        // A check that fails is repeated later.
        if (this.#opened++ % CHECKED_EACH === 0) void this.removeOld().catch(() => undefined);
      },
      () => this.#open.delete(key),
    );
    return opening;
  }

  /** Reads the workers that have an archive. */
  async workers(): Promise<readonly LoggedWorker[]> {
    const found = await Promise.all((await this.#folders()).map(workerOfArchive));
    const byKey = new Map<string, LoggedWorker>();
    for (const worker of found) if (worker) byKey.set(workerKey(worker), worker);
    return [...byKey.values()];
  }

  /** Removes the archives that were not used for the longest time until the rest is within the limit. Archives in use stay. */
  removeOld(): Promise<void> {
    // A concurrent removal would count an archive that is being removed as one in use.
    const removing = this.#removing.then(() => this.#removeOld());
    this.#removing = removing.catch(() => undefined);
    return removing;
  }

  async #removeOld(): Promise<void> {
    const archives = await Promise.all(
      (await this.#folders()).map(async (folder) => ({ folder, ...(await sizeAndTime(folder)) })),
    );
    let total = archives.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { folder, bytes } of archives.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (total <= this.#limits().all) return;
      if (await removeFolder(folder)) total -= bytes;
    }
  }

  /** Closes all archives. Resolves once all of them are closed, including those that an earlier call closes. */
  close(): Promise<unknown> {
    const open = [...this.#open.values()];
    this.#open.clear();
    const closing = open.map((opening) => opening.then((archive) => archive.close()).catch(() => undefined));
    this.#closing = Promise.all([this.#closing, ...closing]);
    return this.#closing;
  }

  async #openFirstFree(worker: LoggedWorker): Promise<LogArchive> {
    const name = hashedName(workerKey(worker));
    for (let number = 1; number <= MAX_WINDOWS; number++) {
      const folder = path.join(this.#folder(), number === 1 ? name : `${name}-${number}`);
      const archive = await LogArchive.open(folder, worker, { maxBytes: this.#limits().each });
      if (!archive) continue;
      await archive.save();
      return archive;
    }
    throw new Error(l10n.t`the log is open in ${MAX_WINDOWS} windows`);
  }

  async #folders(): Promise<string[]> {
    const entries = await readdir(this.#folder(), { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(this.#folder(), name));
  }
}

async function sizeAndTime(folder: string): Promise<{ bytes: number; usedAt: number }> {
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(names.map((name) => stat(path.join(folder, name)).catch(() => undefined)));
  return {
    bytes: files.reduce((sum, file) => sum + (file?.size ?? 0), 0),
    usedAt: Math.max(0, ...files.map((file) => file?.mtimeMs ?? 0)),
  };
}
