import type { ImageInspect } from '@docker/node-sdk';
import type { RegistryCredentials } from '../../domain/registry.ts';
import { EngineError } from '../engineApi.ts';
import { imageName, imageText, parseImageReference, type ImageReference } from '../imageReference.ts';
import type { Engine } from './engine.ts';
import { imageId, inspectImage, listImages, pullLines } from './imageApi.ts';
import { pullFailure, type PullFailure } from './pullFailure.ts';
import { PullProgress } from './pullProgress.ts';
import { registryAuth } from './registryAuth.ts';
import { SharedPulls, type PullCaller } from './sharedPulls.ts';

/** Percent, or undefined if it is unknown. */
type Percent = number | undefined;

export interface Pull {
  readonly reference: ImageReference;
  /** Credential of the registry. Its secret is read only for the pull. */
  readonly registry?: { readonly id: string; readonly credentials: () => RegistryCredentials } | undefined;
}

export interface PulledImage {
  readonly kind: 'pulled';
  readonly image: ImageInspect;
  /** Digests of the image in its repository, the new ones first. Empty if the engine reports none. */
  readonly digests: readonly string[];
  /** ID of the image if the engine did not have it before. */
  readonly pulledId: string | undefined;
}

/** Result of a pull. */
export type Pulled = PulledImage | { readonly kind: 'failed'; readonly failure: PullFailure };

/** Pulls images onto an engine. Pulls of the same image with the same credential are shared. */
export class ImagePulls {
  readonly #engine: Engine;
  readonly #shared = new SharedPulls<Pulled, { readonly percent: Percent }>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** @throws EngineError if the engine does not respond; StartError if the credential cannot be read; the signal's reason */
  pull(
    { reference, registry }: Pull,
    { onProgress, signal }: { onProgress: (percent: Percent) => void; signal: AbortSignal },
  ): Promise<Pulled> {
    const key = JSON.stringify([imageText(reference), registry?.id]);
    const caller = { onProgress: ({ percent }: { percent: Percent }) => onProgress(percent), signal };
    return this.#shared.join(key, caller, (together) =>
      pullNow(this.#engine, { reference, credentials: registry?.credentials() }, together),
    );
  }
}

async function pullNow(
  engine: Engine,
  { reference, credentials }: { reference: ImageReference; credentials: RegistryCredentials | undefined },
  { onProgress, signal }: PullCaller<{ readonly percent: Percent }>,
): Promise<Pulled> {
  onProgress({ percent: undefined });
  const known = await listImages(engine, signal);
  const attempt = { reference, withCredentials: credentials !== undefined };
  const failed = (reason: string): Pulled => ({ kind: 'failed', failure: pullFailure(reason, attempt) });
  const progress = new PullProgress();
  let percent: Percent;
  const { tag = '', digest = tag } = reference;
  const headers = registryAuth(reference, credentials);
  try {
    for await (const line of pullLines(engine, { name: imageName(reference), tag: digest, headers }, signal)) {
      if (line.error !== undefined) return failed(line.error);
      progress.add(line);
      const next = progress.percent();
      if (next !== percent) onProgress({ percent: (percent = next) });
    }
  } catch (error) {
    if (error instanceof EngineError && !error.unreachable) return failed(error.message);
    throw error;
  }
  const image = await inspectImage(engine, imageText(reference), signal);
  if (!image) return failed(`no such image after the pull: ${imageText(reference)}`);
  const id = imageId(image.Id ?? '');
  const before = known.find((one) => imageId(one.Id) === id);
  const old = before ? digestsOf(before, reference) : [];
  const own = digestsOf(image, reference);
  const digests = [...own.filter((one) => !old.includes(one)), ...own];
  return { kind: 'pulled', image, digests, pulledId: before ? undefined : id };
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
