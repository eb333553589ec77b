import * as l10n from '@vscode/l10n';
import type { WebviewPage } from '../../kit/webviewPage.ts';
import { ToHost, type ImageEditToHost } from '../../webviews/imageEdit/messages.ts';

export const IMAGE_EDIT_PAGE: WebviewPage<ImageEditToHost> = {
  name: 'imageEdit',
  iconName: 'image-edit',
  title: l10n.t('Edit Image'),
  showsPictures: true,
  messages: ToHost,
};
