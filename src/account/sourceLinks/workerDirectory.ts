import { PROCESS_IMAGE_PREFIX } from '../../contract/processImage.ts';

/** Returns the directory on this machine that a worker with an image runs in. Undefined for the image of a container. */
export function workerDirectory(image: string | undefined): string | undefined {
  return image?.startsWith(PROCESS_IMAGE_PREFIX) ? image.slice(PROCESS_IMAGE_PREFIX.length) : undefined;
}
