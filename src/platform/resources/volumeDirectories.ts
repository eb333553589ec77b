import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export interface VolumeDirectories {
  /** Returns the volume's directory, and creates it if necessary. */
  of(volumeId: string): string;
  /** Returns a directory on the same file system that workers do not see. It is removed with the volume. */
  stateOf(volumeId: string): string;
  /**
   * Moves the directory of a volume aside, so that its deletion can still be undone.
   *
   * @throws the file system's error
   */
  setAside(volumeId: string): DirectoryAside;
  /** Finishes deletions that an earlier process began. Restores the directories of existing volumes, and removes all others. */
  finishDeletions(exists: (volumeId: string) => boolean): Promise<void>;
  /** Removes all directories if they are temporary. */
  close(): Promise<void>;
}

/** The directory of a volume whose deletion is not stored yet. */
export interface DirectoryAside {
  restore(): void;
  /** Removes the directory and its contents. */
  remove(): Promise<void>;
}

/** Prefix of directories that were moved aside. Volume IDs do not begin with it. */
const ASIDE = '.deleted-';
/** Parent of the directories that workers do not see. */
const STATE = '.s3';

/** @param root parent directory; default: a temporary directory, which `close` removes */
export function volumeDirectories(root?: string): VolumeDirectories {
  let temporary: string | undefined;
  /** @throws Error for an ID that would point outside the volumes' directory */
  const directoryOf = (volumeId: string): string => {
    if (!/^\w+$/.test(volumeId)) throw new Error(`'${volumeId}' is not a volume ID`);
    return path.join(parent(), volumeId);
  };
  const parent = (): string => root ?? (temporary ??= mkdtempSync(path.join(os.tmpdir(), 'cloud-compute-volumes-')));
  const stateOf = (volumeId: string): string => path.join(path.dirname(directoryOf(volumeId)), STATE, volumeId);
  const remove = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 3 });
  return {
    of: (volumeId) => {
      const directory = directoryOf(volumeId);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      return directory;
    },
    stateOf,
    setAside: (volumeId) => {
      const directory = directoryOf(volumeId);
      const aside = path.join(parent(), ASIDE + volumeId);
      if (existsSync(directory)) renameSync(directory, aside);
      return {
        restore: () => {
          if (existsSync(aside)) renameSync(aside, directory);
        },
        remove: async () => {
          await remove(aside);
          await remove(stateOf(volumeId));
        },
      };
    },
    finishDeletions: async (exists) => {
      if (root === undefined || !existsSync(root)) return;
      for (const name of readdirSync(root).filter((one) => one.startsWith(ASIDE))) {
        const volumeId = name.slice(ASIDE.length);
        const aside = path.join(root, name);
        if (exists(volumeId) && !existsSync(directoryOf(volumeId))) renameSync(aside, directoryOf(volumeId));
        else await remove(aside);
      }
      const states = path.join(root, STATE);
      for (const volumeId of existsSync(states) ? readdirSync(states) : []) {
        if (!exists(volumeId)) await remove(path.join(states, volumeId));
      }
    },
    close: async () => {
      if (temporary !== undefined) await remove(temporary);
    },
  };
}
