import * as l10n from '@vscode/l10n';
import type { PlatformImage } from '../../../../contract/control/controlImages.ts';
import { dataSize } from '../../../../text/quantities.ts';
import { joined, shown, type ShownText } from '../../../../text/shownText.ts';

/* Texts about images of the engine. */

/** Length of a shortened image ID, as in the output of engines. */
const SHORT_ID = 12;

/** Returns the name of an image: its tags, or its shortened ID. */
export function imageName({ id, references }: Pick<PlatformImage, 'id' | 'references'>): string {
  const tags = references.filter((reference) => !reference.includes('@sha256:'));
  const [first] = tags.length > 0 ? tags : references.map((reference) => reference.replace(/@sha256:.*$/, ''));
  if (first === undefined) return id.replace(/^sha256:/, '').slice(0, SHORT_ID);
  return tags.length > 1
    ? tags.length - 1 === 1
      ? l10n.t`${first} and 1 other tag`
      : l10n.t`${first} and ${tags.length - 1} other tags`
    : first;
}

export function totalSize(images: readonly Pick<PlatformImage, 'sizeBytes'>[]): string {
  return dataSize(images.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
}

export interface NotRemoved {
  readonly image: PlatformImage;
  readonly reason: string;
}

/** Returns the result of a removal, such as `Removed 3 images, 412 MB`. */
export function removalWords(removed: readonly PlatformImage[], notRemoved: readonly NotRemoved[]): ShownText {
  const [first] = notRemoved;
  const done =
    removed.length === 0
      ? []
      : [
          removed.length === 1
            ? shown`Removed 1 image, ${totalSize(removed)}`
            : shown`Removed ${removed.length} images, ${totalSize(removed)}`,
        ];
  if (!first) return done[0] ?? shown`Removed no images`;
  const left =
    notRemoved.length === 1
      ? shown`“${imageName(first.image)}” was not removed: ${first.reason}`
      : shown`${notRemoved.length} images were not removed. “${imageName(first.image)}”: ${first.reason}`;
  return joined([...done, left], '. ');
}
