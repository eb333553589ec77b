import * as l10n from '@vscode/l10n';
import type { PlatformImage } from '../../../contract/control/controlImages.ts';
import { showMessage } from '../../../kit/messages.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { accepted, createPick, rowOf, type ShownItem } from '../../../kit/quickInput.ts';
import { dataSize } from '../../../text/quantities.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { controlOf } from '../../../account/localPlatform/platformControl.ts';
import { removeImages, unusedImages } from './actions/engineActions.ts';
import { imageName, removalWords, totalSize } from './model/imageWords.ts';

const TITLE = l10n.t('Remove Unused Images');

/** Removes the selected images that the platform pulled and that no endpoint uses. */
export async function removeUnusedImages(services: Pick<AccountServices, 'clock' | 'localPlatform'>): Promise<void> {
  const { control } = await controlOf(services);
  const unused = await withLateProgress(services.clock, l10n.t('Reading the images…'), (signal) =>
    unusedImages(control, { signal }),
  );
  if (unused.length === 0) {
    const text = l10n.t(
      'There are no unused images. The local platform removes only images that it has pulled itself.',
    );
    void showMessage('information', text);
    return;
  }
  const chosen = await chooseImages(unused);
  if (!chosen || chosen.length === 0) return;
  const { removed, notRemoved } = await withLateProgress(services.clock, l10n.t('Removing images…'), (signal, report) =>
    removeImages(control, chosen, { signal, onImage: (image) => report(imageName(image)) }),
  );
  void showMessage(notRemoved.length === 0 ? 'information' : 'warning', removalWords(removed, notRemoved));
}

interface ImageItem extends ShownItem {
  readonly image: PlatformImage;
}

/** Shows the images, all of them selected. The title has the size of the selected ones. */
function chooseImages(images: readonly PlatformImage[]): Promise<readonly PlatformImage[] | undefined> {
  const list = createPick<ImageItem>({
    title: TITLE,
    placeholder: l10n.t('Images to remove. Workers that need one later pull it again'),
  });
  list.canSelectMany = true;
  list.matchOnDescription = true;
  list.items = images.map((image) =>
    rowOf({ label: imageName(image), description: dataSize(image.sizeBytes), detail: builtAt(image), image }),
  );
  const chosen = (): readonly PlatformImage[] => list.selectedItems.map(({ item }) => item.image);
  const showSize = (): void => {
    list.title = shown`${TITLE} (${totalSize(chosen())})`.text;
  };
  list.selectedItems = list.items;
  showSize();
  list.onDidChangeSelection(showSize);
  return accepted(list, chosen);
}

function builtAt({ createdAt }: PlatformImage): string {
  return l10n.t`Built ${new Date(createdAt).toLocaleString()}`;
}
