import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** The directories that volumes are. */
export interface VolumeDirectories {
  /** The volume's directory, which is there when this returns. */
  of(volumeId: string): string;
  /** Removes the volume's directory with all that is in it. */
  remove(volumeId: string): Promise<void>;
  /** Removes them all if they were only to last as long as this platform. */
  close(): Promise<void>;
}

/** @param root where they lie; left out: in a temporary directory of their own, gone at the end */
export function volumeDirectories(root?: string): VolumeDirectories {
  let temporary: string | undefined;
  /** @throws Error for an ID that would point outside the volumes' directory */
  const placeOf = (volumeId: string): string => {
    if (!/^\w+$/.test(volumeId)) throw new Error(`'${volumeId}' is not a volume ID`);
    return path.join(parent(), volumeId);
  };
  const parent = (): string => root ?? (temporary ??= mkdtempSync(path.join(os.tmpdir(), 'cloud-compute-volumes-')));
  const remove = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 3 });
  return {
    of: (volumeId) => {
      const directory = placeOf(volumeId);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      return directory;
    },
    remove: async (volumeId) => remove(placeOf(volumeId)),
    close: async () => {
      if (temporary !== undefined) await remove(temporary);
    },
  };
}
