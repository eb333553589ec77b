import type { ImageInspect } from '@docker/node-sdk';
import { imageName, parseImageReference, type ImageReference } from '../../contract/imageReference.ts';
import type { Engine } from './engine.ts';
import { EngineError } from './engineApi.ts';

/* One image of an engine. All functions throw EngineError, or the signal's reason. */

const NOT_FOUND = 404;
/** Limit for the answer of a request, in ms. */
const ANSWER_TIMEOUT_MS = 30_000;

/** Resolves with undefined if the engine has no such image. @param name reference, or ID */
export async function inspectImage(
  { api, prefix }: Engine,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ImageInspect | undefined> {
  try {
    return await api.json<ImageInspect>({
      path: `${prefix}/images/${name}/json`,
      signal,
      timeoutMs: ANSWER_TIMEOUT_MS,
    });
  } catch (error) {
    if (error instanceof EngineError && error.status === NOT_FOUND) return undefined;
    throw error;
  }
}

/** Gives an image another name. @param name of the image, or its ID @param as name with its registry, without a tag */
export async function tagImage(
  { api, prefix }: Engine,
  name: string,
  as: { readonly repo: string; readonly tag: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = `${prefix}/images/${name}/tag`;
  // Podman's answer is not JSON.
  const response = await api.stream({ method: 'POST', path, query: as, signal, timeoutMs: ANSWER_TIMEOUT_MS });
  response.resume();
}

/** Returns the digests of an image in the repository of a reference. Engines shorten the names of images of the default registry. */
export function digestsOf(
  { RepoDigests: named }: { readonly RepoDigests?: readonly string[] | null },
  reference: ImageReference,
): string[] {
  const name = imageName(reference);
  return (named ?? []).flatMap((text) => {
    const parsed = parseImageReference(text);
    return parsed?.digest !== undefined && imageName(parsed) === name ? [parsed.digest] : [];
  });
}

/** Version of Podman's own API. All releases since 4.0 have it. */
const PODMAN_PREFIX = '/v4.0.0/libpod';

/** Podman: resolves with the digest of its own copy of an image, whose layers are not compressed. */
export async function localDigest(
  { api }: Engine,
  name: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const path = `${PODMAN_PREFIX}/images/${encodeURIComponent(name)}/json`;
  return (await api.json<{ readonly Digest?: string }>({ path, signal, timeoutMs: ANSWER_TIMEOUT_MS })).Digest;
}

/** Adds the algorithm, which Podman omits in some answers. */
export function imageId(id: string): string {
  return id === '' || id.includes(':') ? id : `sha256:${id}`;
}
