import type { EndpointRecord } from '../domain/endpoint.ts';
import type { ReleaseRecord } from '../domain/release.ts';

/** The image that the workers of a release run, and of the later releases up to the next one with an image of its own. */
export interface PinnedImage {
  readonly endpointId: string;
  /** Version of the first release with this image. */
  readonly firstVersion: number;
  /** Digest in the registry, or the ID of an image that only the engine has. */
  readonly digest: string;
}

/** Endpoints and their releases. */
export interface EndpointStore {
  insert(endpoint: EndpointRecord): void;
  update(endpoint: EndpointRecord): void;
  /** Returns the endpoints in order of creation. */
  list(): EndpointRecord[];
  /** Returns the account of an endpoint, also of a deleted one that is not removed yet; undefined for an unknown endpoint. */
  accountOf(id: string): string | undefined;
  /** Moves an endpoint that cannot be restored to the quarantine. */
  setAside(id: string, reason: string): void;
  /**
   * Deletes the endpoint and its releases with their images. Its jobs are no longer found. They and its workers stay until they are removed
   * in short transactions, because their number is not limited. Its usage stays, because it has been charged.
   */
  delete(id: string): void;
  /** Returns the deleted endpoints whose jobs and workers are not all removed. */
  removed(): string[];
  /** Forgets a deleted endpoint. Call this once its jobs and workers are removed. */
  forget(id: string): void;
  insertRelease(release: ReleaseRecord): void;
  /** Returns the releases of an endpoint, newest first. */
  releases(endpointId: string): ReleaseRecord[];
  /** Records that this release has an image of its own. Later releases share it until the next call. */
  beginImage(endpointId: string, version: number): void;
  /**
   * Pins the image of a release unless it is pinned. Stores nothing for a deleted endpoint, whose workers may still start.
   *
   * @returns the pinned digest, which is another one if another worker was first
   */
  pinImage(endpointId: string, version: number, digest: string): string;
  /** Returns the version of the first release with the image of this release; undefined for an unknown endpoint. */
  imageVersion(endpointId: string, version: number): number | undefined;
  /** Returns the digest of the image of a release; undefined before its first worker. */
  pinnedImage(endpointId: string, version: number): string | undefined;
  /** Returns the pinned images of all endpoints, of current and earlier releases. */
  pinnedImages(): PinnedImage[];
}
