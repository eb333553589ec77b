import type { Blob, Layer } from './blobs.ts';
import { containerConfig } from './imageConfig.ts';

/*
 * The documents of an image archive. OCI documents describe the image to Podman, containerd, and new versions of Docker, and manifest.json to
 * all versions of Docker.
 */

const OCI = 'application/vnd.oci.image';
const MANIFEST = `${OCI}.manifest.v1+json`;

/** The image has no time of its own, so that equal files give an equal image. */
const CREATED = '1970-01-01T00:00:00Z';

/** Names of architectures in images, by those of Node.js. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64', ppc64: 'ppc64le' };

export interface ImageBlobs {
  readonly config: Blob;
  readonly manifest: Blob;
  readonly layers: readonly Layer[];
}

/** @param architecture as Node.js names it */
export function configDocument(layers: readonly Layer[], architecture: string): object {
  return {
    created: CREATED,
    architecture: ARCHITECTURES[architecture] ?? architecture,
    os: 'linux',
    config: containerConfig,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ name }) => ({ created: CREATED, created_by: `cloud-compute ${name}` })),
  };
}

export function manifestDocument(config: Blob, layers: readonly Layer[]): object {
  return {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: `${OCI}.config.v1+json`, digest: config.digest, size: config.size },
    layers: layers.map(({ digest, size }) => ({ mediaType: `${OCI}.layer.v1.tar+gzip`, digest, size })),
  };
}

/** Path of a blob in the archive. */
export const blobPath = ({ digest }: Blob): string => `blobs/${digest.replace(':', '/')}`;

/**
 * Returns the documents at the root of the archive, by their names.
 *
 * @param name full name of the image, with its registry and tag
 */
export function rootDocuments(name: string, { config, manifest, layers }: ImageBlobs): Record<string, object> {
  const annotations = {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
  };
  return {
    'index.json': {
      schemaVersion: 2,
      mediaType: `${OCI}.index.v1+json`,
      manifests: [{ mediaType: MANIFEST, digest: manifest.digest, size: manifest.size, annotations }],
    },
    'manifest.json': [{ Config: blobPath(config), RepoTags: [name], Layers: layers.map(blobPath) }],
    'oci-layout': { imageLayoutVersion: '1.0.0' },
  };
}
