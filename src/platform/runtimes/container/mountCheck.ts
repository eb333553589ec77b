import { stat } from 'node:fs/promises';
import type { Mount } from '../runSpec.ts';
import { StartError } from '../runtime.ts';
import type { EngineFeatures } from './engineFeatures.ts';

/** Checks that the engine can mount these directories. Some engines create a missing one. @throws StartError */
export async function checkMounts(mounts: readonly Mount[], { remoteHost }: EngineFeatures): Promise<void> {
  for (const { directory } of mounts) {
    if (remoteHost !== undefined) {
      throw new StartError(
        `the volume is a directory of this machine, but the engine runs on ${remoteHost}. ` +
          'Use an engine on this machine, or remove the volume.',
      );
    }
    const found = await stat(directory).catch(() => undefined);
    if (!found?.isDirectory()) {
      throw new StartError(
        `the directory ${directory} of the volume does not exist. Restore it, or remove the volume.`,
      );
    }
  }
}
