import type { PlatformImage } from '../../contract/control/controlImages.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { isProcessImage } from '../domain/processImage.ts';
import { imageOfRelease } from '../domain/release.ts';
import { notFound, Refusal } from '../domain/refusal.ts';
import type { ImageServices, PulledImage, PullRequest, StoredEngineImage } from '../runtimes/imageServices.ts';
import { imageText, parseImageReference } from '../../contract/imageReference.ts';
import { StartError } from '../runtimes/runtime.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';
import { dateTime } from '../../contract/dateTime.ts';

/** Dependencies of the images of endpoints. */
interface EndpointImagesContext {
  readonly store: Store;
  readonly clock: Clock;
  /** Undefined if the platform runs only processes. */
  readonly services: ImageServices | undefined;
}

/** Images on the engine that belong to this platform: those that it pulled, and those that its endpoints run. */
export class EndpointImages {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #services: ImageServices | undefined;

  constructor({ store, clock, services }: EndpointImagesContext) {
    this.#store = store;
    this.#clock = clock;
    this.#services = services;
  }

  /** Resolves with the images, largest first. @throws StartError if the engine does not respond */
  async list(signal?: AbortSignal): Promise<PlatformImage[]> {
    const images = (await this.#services?.list(signal)) ?? [];
    const pulled = new Set(this.#store.pulledImages.list());
    const pinned = this.#store.endpoints.pinnedImages().map(({ digest }) => digest);
    const endpoints = this.#store.endpoints.list().filter(({ image }) => !isProcessImage(image));
    return images
      .map((image) => ({ image, users: endpoints.filter((endpoint) => this.#runs(endpoint, image)) }))
      .filter(({ image, users }) => users.length > 0 || pulled.has(image.id) || pinned.some((one) => has(image, one)))
      .map(({ image, users }) => imageAnswer(image, users, pulled.has(image.id)))
      .sort((left, right) => right.sizeBytes - left.sizeBytes);
  }

  /** Pulls an image, and remembers that this platform pulled it. @throws StartError with a problem; the signal's reason */
  async pull(request: PullRequest): Promise<PulledImage> {
    if (!this.#services) {
      throw new StartError(
        'there is no container engine that could pull images. Install Docker or Podman, and start it.',
        {
          problem: 'engineMissing',
        },
      );
    }
    const pulled = await this.#services.pull(request);
    if (pulled.pulledId !== undefined) {
      this.#store.pulledImages.add(pulled.pulledId, this.#clock.now());
      await this.#store.flush();
    }
    return pulled;
  }

  /** Removes an image that this platform pulled. @throws Refusal 404, 409; StartError if the engine does not respond */
  async remove(id: string, signal?: AbortSignal): Promise<void> {
    const image = (await this.list(signal)).find((one) => one.id === id);
    if (!image || !this.#store.pulledImages.has(id)) throw notFound(`image '${id}' that this platform pulled`);
    const [user] = image.usedBy;
    if (user) throw new Refusal(409, `the endpoint '${user.name}' runs the image`);
    const outcome = image.inUse ? 'inUse' : await this.#services?.remove(id, signal);
    if (outcome === 'inUse') throw new Refusal(409, 'a container uses the image');
    this.#store.pulledImages.delete(id);
    if (outcome === 'missing') throw notFound(`image '${id}'`);
  }

  /** Returns the image of a release, and the digest that its workers ran. */
  ofRelease(endpoint: EndpointRecord, version: number): { readonly image: string; readonly digest?: string } {
    const { endpoints } = this.#store;
    const image = imageOfRelease(endpoint, endpoints.releases(endpoint.id), version);
    const digest = endpoints.pinnedImage(endpoint.id, version);
    return { image, ...(digest !== undefined && { digest }) };
  }

  /** Whether the newest release of the endpoint runs the image, or its first worker would do so without asking the registry. */
  #runs({ id, version, image }: EndpointRecord, on: StoredEngineImage): boolean {
    const digest = this.#store.endpoints.pinnedImage(id, version);
    if (digest !== undefined) return has(on, digest);
    const reference = parseImageReference(image);
    return reference !== undefined && namesOf(on).includes(imageText(reference));
  }
}

/** @param digest in a registry, or ID */
function has({ id, digest: own, digests }: StoredEngineImage, digest: string): boolean {
  return id === digest || own === digest || digests.some((name) => name.endsWith(`@${digest}`));
}

/** Returns the complete names. Docker shortens the names of its default registry. */
function namesOf({ tags, digests }: StoredEngineImage): string[] {
  return [...tags, ...digests].flatMap((name) => {
    const reference = parseImageReference(name);
    return reference ? [imageText(reference)] : [];
  });
}

function imageAnswer(image: StoredEngineImage, users: readonly EndpointRecord[], isPulled: boolean): PlatformImage {
  const { id, tags, digests, sizeBytes, createdAt, hasContainers } = image;
  const inUse = hasContainers || users.length > 0;
  return {
    ...{ id, sizeBytes, inUse, removable: isPulled && !inUse },
    // An image that was pulled by its digest has no tag.
    references: [...(tags.length > 0 ? tags : digests)],
    createdAt: dateTime(createdAt),
    usedBy: users.map(({ id: endpointId, name }) => ({ endpointId, name })),
  };
}
