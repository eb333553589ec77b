import type { ImageSummary } from '@docker/node-sdk';
import { EngineError } from '../engineApi.ts';
import type { ImageServices, StoredEngineImage } from '../imageServices.ts';
import { StartError } from '../runtime.ts';
import type { Engine } from './engine.ts';
import { sourceWords, type EngineRoute } from './engineRoute.ts';
import { deleteImage, imageId, inspectImage, listImages, usedImages } from './imageApi.ts';
import type { ImagePulls } from './imagePulls.ts';
import { referenceOf } from './engineImages.ts';
import { pullError } from './pullFailure.ts';

/** The engine that the services use. */
export interface ServedEngine {
  /** Resolves with the way to the engine; undefined if there is none. @throws StartError */
  readonly route: () => Promise<EngineRoute | undefined>;
  /** @throws StartError */
  readonly connect: (signal: AbortSignal | undefined) => Promise<Engine>;
}

const CONFLICT = 409;
const NOT_FOUND = 404;
const SECOND_MS = 1_000;

/** Creates the services for the images of a container engine. */
export function engineImageServices({ route, connect }: ServedEngine, pulls: ImagePulls): ImageServices {
  return {
    runtime: 'container',
    describe: async (signal) => {
      const found = await route();
      if (!found) return null;
      const { address, source } = found;
      const known = { address, source: sourceWords(source) };
      try {
        const { name, version } = await connect(signal);
        return { name, version, ...known, reachable: true };
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        return { name: 'Docker', version: '', ...known, reachable: false, problem: error.message };
      }
    },
    list: async (signal) => {
      const engine = await connect(signal);
      return asking(async () => {
        const [images, used] = await Promise.all([listImages(engine, signal), usedImages(engine, signal)]);
        return images.map((image) => storedImage(image, used));
      });
    },
    pull: async ({ image, registryId, credentials, onProgress, signal }) => {
      const reference = referenceOf(image);
      const engine = await connect(signal);
      const registry = credentials && { id: registryId ?? '', credentials: () => credentials };
      const pulled = await asking(() => pulls.pull(engine, { reference, registry }, { onProgress, signal }));
      if (pulled.kind === 'failed') throw pullError(pulled.failure, reference);
      const { digests, pulledId } = pulled;
      return { digest: reference.digest ?? digests[0] ?? imageId(pulled.image.Id ?? ''), pulledId };
    },
    remove: async (id, signal) => {
      const engine = await connect(signal);
      return asking(() => removeImage(engine, id, signal));
    },
  };
}

function storedImage(
  { Id: id, RepoTags: tags, RepoDigests: digests, Size: sizeBytes, Created: seconds }: ImageSummary,
  used: ReadonlySet<string>,
): StoredEngineImage {
  return {
    ...{ id: imageId(id), tags: named(tags), digests: named(digests), sizeBytes, createdAt: seconds * SECOND_MS },
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

/** Converts errors of the engine. @throws StartError; any other error */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (!error.unreachable) throw new StartError(`the engine reports: ${error.message}`, { cause: error });
    throw new StartError(`the container engine cannot be reached: ${error.message}. Start it.`, {
      problem: 'engineUnreachable',
      cause: error,
    });
  }
}
