import type { WorkerSettings } from './workerSettings.ts';

/** A network volume that the workers of an endpoint mount. */
export interface MountedVolume {
  readonly id: string;
  /** Undefined: the default of the platform. */
  readonly path: string | undefined;
}

/** Returns the network volumes of an endpoint. The worker of a local platform mounts only the first one. */
export function volumesOf({ mounts, networkVolumes = [] }: WorkerSettings): readonly MountedVolume[] {
  const mounted = (mounts?.network ?? []).map(({ volumeId, path }) => ({ id: volumeId, path }));
  return mounted.length > 0 ? mounted : networkVolumes.map((id) => ({ id, path: undefined }));
}
