import type { ImageSummary } from '@docker/node-sdk';
import type { EngineInfo } from '../../../contract/control/controlImages.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import { referenceOf } from '../imageReference.ts';
import type { ImageServices, StoredEngineImage } from '../imageServices.ts';
import { StartError } from '../runtime.ts';
import { openEngine, type Engine } from '../../../machine/engine/engine.ts';
import { engineMissing, engineUnreachable } from './engineFailure.ts';
import { digestOf, type EngineImages } from './engineImages.ts';
import type { EngineLink, LinkedEngine } from './engineLink.ts';
import { sourceWords, type EngineRoute } from '../../../machine/engine/engineRoute.ts';
import { deleteImage, listImages, usedImages } from './engineRequests.ts';
import { imageId, inspectImage } from '../../../machine/engine/engineImage.ts';
import { pullError } from './pullFailure.ts';

/** The engine that the services use, and its images. */
interface ServedEngine {
  readonly link: EngineLink;
  readonly imagesOf: (linked: LinkedEngine) => EngineImages;
  /** Called after a failure, so that another engine can be found. */
  readonly onFailure: () => void;
}

const CONFLICT = 409;
const NOT_FOUND = 404;
const SECOND_MS = 1_000;

/** Returns the services for the images of a container engine. */
export function engineImageServices(served: ServedEngine): ImageServices {
  /** Converts errors of the engine. @throws StartError; any other error */
  const asking = async <T>(
    ask: (engine: Engine, linked: LinkedEngine) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    const linked = await opened(served, signal);
    if (!linked) throw engineMissing();
    const { engine } = linked;
    try {
      return await ask(engine, linked);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.unreachable) throw engineUnreachable(engine.route, error);
      throw new StartError(`the engine reports: ${error.message}`, { cause: error });
    }
  };
  return {
    runtime: 'container',
    describe: (signal) => describe(served, signal),
    list: (signal) =>
      asking(async (engine) => {
        const [images, used] = await Promise.all([listImages(engine, signal), usedImages(engine, signal)]);
        return images.map((image) => storedImage(image, used));
      }, signal),
    pull: async ({ image, registryId, credentials, onProgress, signal }) => {
      const reference = referenceOf(image);
      const registry = credentials && { id: registryId ?? '', credentials: () => credentials };
      const pulled = await asking(
        (_, linked) => served.imagesOf(linked).pulls.pull({ reference, registry }, { onProgress, signal }),
        signal,
      );
      if (pulled.kind === 'failed') throw pullError(pulled.failure, reference);
      return { digest: digestOf(pulled, reference), pulledId: pulled.pulledId };
    },
    remove: (id, signal) => asking((engine) => removeImage(engine, id, signal), signal),
  };
}

/** @throws StartError engineMissing for an invalid address, engineUnreachable; the signal's reason */
async function opened({ link, onFailure }: ServedEngine, signal: AbortSignal | undefined) {
  try {
    return await link.open(signal);
  } catch (error) {
    onFailure();
    throw error;
  }
}

async function describe(served: ServedEngine, signal: AbortSignal | undefined): Promise<EngineInfo | null> {
  let found: Engine | undefined;
  try {
    found = (await served.link.open(signal))?.engine;
    if (!found) return null;
    // The engine may have stopped, or been updated, since it was found.
    const { name, version } = await openEngine(found.route, signal);
    return { name, version, ...placeOf(found.route), reachable: true };
  } catch (error) {
    const failure = error instanceof EngineError && found ? engineUnreachable(found.route, error) : error;
    if (!(failure instanceof StartError)) throw failure;
    const place = placeOf(found?.route ?? served.link.route);
    served.onFailure();
    return { name: found?.name ?? '', version: '', ...place, reachable: false, problem: failure.message };
  }
}

/** @param route undefined for an invalid address, which the problem contains */
function placeOf(route: EngineRoute | undefined): Pick<EngineInfo, 'address' | 'source'> {
  return route ? { address: route.address, source: sourceWords(route.source) } : { address: '', source: '' };
}

/** Podman forgets the digests of an image whose tag has moved, but still lists its own digest. */
type ListedImage = ImageSummary & { readonly Digest?: string };

function storedImage(
  { Id: id, RepoTags: tags, RepoDigests: digests, Digest: digest, Size: sizeBytes, Created: seconds }: ListedImage,
  used: ReadonlySet<string>,
): StoredEngineImage {
  return {
    ...{ id: imageId(id), tags: named(tags), digests: named(digests), sizeBytes, createdAt: seconds * SECOND_MS },
    digest,
    hasContainers: used.has(imageId(id)),
  };
}

/** Docker names an image without a name `<none>`. */
function named(names: readonly string[] | null | undefined): string[] {
  return (names ?? []).filter((name) => !name.includes('<none>'));
}

/**
 * Removes the names of an image, and then the image. Nothing is forced, because Docker would then remove the image of a stopped container,
 * and Podman the container too.
 */
async function removeImage(
  engine: Engine,
  id: string,
  signal: AbortSignal | undefined,
): Promise<'removed' | 'inUse' | 'missing'> {
  const image = await inspectImage(engine, id, signal);
  if (!image) return 'missing';
  if ((await usedImages(engine, signal)).has(imageId(image.Id ?? ''))) return 'inUse';
  try {
    for (const tag of named(image.RepoTags)) await deleteImage(engine, tag, signal);
    if (await inspectImage(engine, id, signal)) await deleteImage(engine, id, signal);
  } catch (error) {
    const { status } = error as Partial<EngineError>;
    if (status === CONFLICT) return 'inUse';
    // Another program removed the last name.
    if (status !== NOT_FOUND) throw error;
  }
  return 'removed';
}
