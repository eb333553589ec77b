/** Parts of the name of an image, such as `registry.example.com:5000/team/worker:1@sha256:…`. */
export interface ImageReference {
  /** Without tag and digest. */
  readonly name: string;
  /** Host of the registry, with its port; `docker.io` if the name has none. */
  readonly registry: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

export function imageReference(image: string): ImageReference {
  const [tagged = '', digest] = image.split('@', 2);
  const lastSlash = tagged.lastIndexOf('/');
  const colon = tagged.indexOf(':', lastSlash + 1);
  const name = colon < 0 ? tagged : tagged.slice(0, colon);
  const host = name.includes('/') ? (name.split('/')[0] ?? '') : '';
  return {
    name,
    registry: /[.:]/.test(host) || host === 'localhost' ? host : 'docker.io',
    tag: colon < 0 ? undefined : tagged.slice(colon + 1),
    digest,
  };
}

/** Returns the image with a digest instead of a tag. */
export function pinnedImage(image: string, digest: string): string {
  return `${imageReference(image).name}@${digest}`;
}

/**
 * Returns the digest in the ID of a container's image, such as `docker-pullable://example/worker@sha256:…`. Returns undefined for an image
 * that was never in a registry, because only the node has its ID.
 */
export function pulledDigest(imageId: string | undefined): string | undefined {
  return /@(sha256:[0-9a-f]{64})$/.exec(imageId ?? '')?.[1];
}
