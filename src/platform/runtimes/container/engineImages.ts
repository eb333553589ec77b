import type { ImageInspect } from '@docker/node-sdk';
import { imageText, isLocalImage, type ImageReference } from '../../../contract/imageReference.ts';
import { referenceOf } from '../imageReference.ts';
import type { ImageDigest, RunSpec } from '../runSpec.ts';
import type { StartOptions } from '../runtime.ts';
import type { Clock } from '../../time/clock.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import { startFailure } from './engineFailure.ts';
import { digestsOf, imageId, inspectImage } from '../../../machine/engine/engineImage.ts';
import { ImagePulls, type PulledImage } from './imagePulls.ts';
import { pullError, type PullFailure } from './pullFailure.ts';

type Options = Pick<StartOptions, 'onProgress' | 'onLayers' | 'onImage' | 'wasPulled' | 'signal'>;

/** An image on the engine that a worker can run. */
interface Found {
  readonly image: ImageInspect;
  /** Digest in the registry, or the ID of an image that only the engine has. */
  readonly digest: ImageDigest;
  readonly pulledId?: string | undefined;
  /** Reason why the copy of the engine is used. */
  readonly localCopy?: string | undefined;
}

export interface EngineImages extends ContainerImages {
  readonly pulls: ImagePulls;
}

/**
 * Returns the images of an engine. A release runs the image that its first worker found: later workers use the pinned digest, and pull it
 * only if the engine has lost it. Without a pin, the registry is always asked for the tag, because the tag may have moved.
 */
export function engineImages(engine: Engine, clock: Pick<Clock, 'now'>): EngineImages {
  const pulls = new ImagePulls(engine, () => clock.now());
  const ensure = async (spec: RunSpec, options: Options): Promise<EngineImage> => {
    const reference = referenceOf(spec.image);
    const finder = new ImageFinder(engine, pulls, { spec, options });
    const found = await (spec.pinned === undefined ? finder.current(reference) : finder.pinned(reference, spec.pinned));
    const digest = options.onImage(found.digest, found.pulledId);
    // Another worker of the release was first, and found another image.
    const used = digest === found.digest ? found : await finder.pinned(reference, digest);
    if (used.localCopy !== undefined) options.onProgress({ kind: 'placed', localCopy: used.localCopy });
    return engineImage(used.image);
  };
  return {
    pulls,
    ensure: async (spec, options) => {
      try {
        return await ensure(spec, options);
      } catch (error) {
        throw startFailure(engine, error);
      }
    },
  };
}

/** Finds the image of one worker. */
class ImageFinder {
  readonly #engine: Engine;
  readonly #pulls: ImagePulls;
  readonly #for: { readonly spec: RunSpec; readonly options: Options };

  constructor(engine: Engine, pulls: ImagePulls, use: { readonly spec: RunSpec; readonly options: Options }) {
    this.#engine = engine;
    this.#pulls = pulls;
    this.#for = use;
  }

  /** Resolves with the image that the reference means now. @throws StartError */
  async current(reference: ImageReference): Promise<Found> {
    if (reference.digest !== undefined) return this.pinned(reference, reference.digest);
    const copy = await this.#inspect(imageText(reference));
    if (!isLocalImage(imageText(reference))) return this.#pull(reference, copy);
    if (copy) return { image: copy, digest: digestsOf(copy, reference)[0] ?? imageId(copy.Id ?? '') };
    throw pullError({ problem: 'imageNotFound', reason: 'no such image' }, reference);
  }

  /** Resolves with the image of the release. @throws StartError */
  async pinned({ registry, repository }: ImageReference, digest: ImageDigest): Promise<Found> {
    const reference = { registry, repository, digest };
    // A digest of an image that only the engine has is its ID.
    const image = (await this.#inspect(imageText(reference))) ?? (await this.#inspect(digest));
    return image ? { image, digest } : this.#pull(reference);
  }

  /** @param copy the engine's image with this tag */
  async #pull(reference: ImageReference, copy?: ImageInspect): Promise<Found> {
    const { spec, options } = this.#for;
    const onProgress = (percent: number | undefined): void => options.onProgress({ kind: 'pulling', percent });
    const pulled = await this.#pulls.pull(
      { reference, registry: spec.registry },
      { onProgress, signal: options.signal },
    );
    if (pulled.kind === 'pulled') {
      const { image, pulledId, layers } = pulled;
      options.onLayers?.(layers);
      return { image, digest: digestOf(pulled, reference), pulledId };
    }
    const { failure } = pulled;
    if (copy && this.#mayUse(copy, failure)) {
      const digest = digestsOf(copy, reference)[0] ?? imageId(copy.Id ?? '');
      return { image: copy, digest, localCopy: failure.reason };
    }
    throw pullError(failure, reference);
  }

  /**
   * Returns whether the engine's copy may run although the pull failed. If the registry is not available or does not have the image, the copy
   * was built here, or is the last known one. A refused credential never falls back, because the copy could belong to somebody else. The same
   * holds for an image that the platform pulled, if the registry does not say whether the image is private or missing.
   */
  #mayUse(copy: ImageInspect, { problem, mayBeMissing }: PullFailure): boolean {
    if (problem === 'registryUnreachable' || problem === 'registryFailing' || problem === 'imageNotFound') return true;
    return mayBeMissing === true && this.#for.options.wasPulled?.(imageId(copy.Id ?? '')) !== true;
  }

  #inspect(name: string): Promise<ImageInspect | undefined> {
    return inspectImage(this.#engine, name, this.#for.options.signal);
  }
}

/** Returns the digest by which a pulled image can be pulled again, or its ID. */
export function digestOf(
  { image, digests }: Pick<PulledImage, 'image' | 'digests'>,
  reference: ImageReference,
): ImageDigest {
  return reference.digest ?? digests[0] ?? imageId(image.Id ?? '');
}

function engineImage({ Id: id = '', Config: config, Architecture: architecture = '' }: ImageInspect): EngineImage {
  return { id: imageId(id), architecture, config: { entrypoint: config?.Entrypoint ?? [], cmd: config?.Cmd ?? [] } };
}

/** The image of a run, on the engine. */
interface EngineImage {
  /** The engine's ID, such as `sha256:0123…`. The container is created from it, so a tag that moves in the meantime has no effect. */
  readonly id: string;
  /** Parts of the image's configuration that the command of a worker depends on. */
  readonly config: EngineImageConfig;
  /** Architecture that it is built for, such as `amd64`; empty if the engine does not report one. */
  readonly architecture: string;
}

interface EngineImageConfig {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
}

/** Images of a container engine. */
interface ContainerImages {
  /**
   * Ensures that the engine has the image of a run: the pinned digest if there is one, else the image with the tag.
   *
   * @throws StartError with a problem; the signal's reason
   */
  ensure(spec: RunSpec, options: Options): Promise<EngineImage>;
}
