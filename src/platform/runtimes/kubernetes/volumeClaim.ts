import path from 'node:path';
import type { Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import type { Mount } from '../runSpec.ts';
import { StartError } from '../runtime.ts';

/** A persistent volume claim that contains the volumes of the platform. */
export interface VolumeClaim {
  readonly name: string;
  /** Directory in which the platform sees the root of the claim. */
  readonly directory: string;
}

const VOLUME = 'volumes';

/** Returns the volumes of a pod for its mounts. @throws StartError if pods cannot reach a mount */
export function claimedVolumes(
  mounts: readonly Mount[],
  claim: VolumeClaim | undefined,
): { volumes: Volume[]; volumeMounts: VolumeMount[] } {
  if (mounts.length === 0) return { volumes: [], volumeMounts: [] };
  if (!claim) {
    throw new StartError(
      'the endpoint mounts a volume, which pods cannot reach. Keep the data of the platform on a persistent volume claim with ' +
        'ReadWriteMany, and start the platform with --kube-volume-claim NAME.',
    );
  }
  const { name, directory } = claim;
  const volumeMounts = mounts.map((mount) => {
    const subPath = path.relative(directory, mount.directory).split(path.sep).join('/');
    if (subPath.startsWith('..') || path.isAbsolute(subPath)) {
      throw new StartError(
        `the volume ${mount.directory} is not in ${directory}, the directory of the claim ${name}. Correct --kube-volume-claim.`,
      );
    }
    return { name: VOLUME, mountPath: mount.path, ...(subPath !== '' && { subPath }) };
  });
  return { volumes: [{ name: VOLUME, persistentVolumeClaim: { claimName: name } }], volumeMounts };
}
