import * as l10n from '@vscode/l10n';
import { PROCESS_IMAGE_PREFIX } from '../../contract/processImage.ts';

/** An image that an endpoint or a manifest runs. */
export interface ImageUse {
  readonly image: string;
  /** ID of its registry credential. */
  readonly registryId?: string | undefined;
  /** Name of the endpoint, or path of the manifest. */
  readonly user: string;
}

/** An image to choose, with all its users. */
export interface ImageChoice extends Omit<ImageUse, 'user'> {
  readonly users: readonly string[];
}

/** Returns each image once, in the order of its first use. An image with several credentials has the first one. */
export function imageChoices(uses: readonly ImageUse[]): ImageChoice[] {
  const images = uses.filter(({ image }) => isContainerImage(image));
  return [...Map.groupBy(images, ({ image }) => image)].map(([image, same]) => ({
    image,
    registryId: same.find(({ registryId }) => registryId !== undefined)?.registryId,
    users: [...new Set(same.map(({ user }) => user))],
  }));
}

/** Returns whether an image runs on an engine, and not as a process. */
export function isContainerImage(image: string | undefined): image is string {
  return image !== undefined && image !== '' && !image.startsWith(PROCESS_IMAGE_PREFIX);
}

/** Returns why a text cannot be an image, or undefined. The engine checks the rest. */
export function imageTextProblem(text: string): string | undefined {
  const image = text.trim();
  if (image === '') return l10n.t('Enter an image, such as example/worker:1.');
  if (/\s/.test(image)) return l10n.t('The name of an image cannot contain spaces.');
  if (image.startsWith(PROCESS_IMAGE_PREFIX))
    return l10n.t('A process image is a directory on this machine. It is not pulled.');
  return image.includes('://') ? l10n.t('Omit the protocol, such as https://.') : undefined;
}
