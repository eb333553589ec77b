import type { EngineInfo } from '../../contract/control/controlImages.ts';
import type { RegistryCredentials } from '../domain/registry.ts';
import type { ImageDigest } from './runSpec.ts';

/** An image on an engine. */
export interface StoredEngineImage {
  readonly id: string;
  /** Names with tags, such as `docker.io/library/python:3.13`. */
  readonly tags: readonly string[];
  /** Names with digests. */
  readonly digests: readonly string[];
  /** Digest of an image that may have lost its names, which only Podman knows. */
  readonly digest?: string | undefined;
  readonly sizeBytes: number;
  /** Time of the build, in ms since the epoch. */
  readonly createdAt: number;
  /** True if a container uses the image. */
  readonly hasContainers: boolean;
}

export interface PullRequest {
  readonly image: string;
  /** Identifies the credential, so that pulls with the same one are shared. */
  readonly registryId?: string | undefined;
  readonly credentials?: RegistryCredentials | undefined;
  /** @param percent 0 to 100; undefined if it is unknown */
  readonly onProgress: (percent: number | undefined) => void;
  /** Aborts the pull, unless another caller waits for it. */
  readonly signal: AbortSignal;
}

export interface PulledImage {
  readonly digest: ImageDigest;
  /** ID of the image if the engine did not have it before. */
  readonly pulledId: string | undefined;
}

/** The engine and its images, for people. Workers get their images through the runtime. */
export interface ImageServices {
  readonly runtime: 'container' | 'kubernetes';
  /** Describes the engine, and whether it responds. Resolves with null if there is none. */
  describe(signal?: AbortSignal): Promise<EngineInfo | null>;
  /** Resolves with the images of the engine. @throws StartError */
  list(signal?: AbortSignal): Promise<readonly StoredEngineImage[]>;
  /** Pulls an image. @throws StartError with a problem; the signal's reason */
  pull(request: PullRequest): Promise<PulledImage>;
  /**
   * Removes an image with all its names. Resolves with `inUse` if a container uses it, and with `missing` if the engine does not have it.
   *
   * @throws StartError
   */
  remove(id: string, signal?: AbortSignal): Promise<'removed' | 'inUse' | 'missing'>;
}
