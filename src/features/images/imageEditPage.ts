import * as l10n from '@vscode/l10n';
import type { WebviewPage } from '../../kit/webviewPage.ts';

export const IMAGE_EDIT_PAGE: WebviewPage = {
  name: 'imageEdit',
  iconName: 'image-edit',
  title: l10n.t('Edit Image'),
  showsPictures: true,
};
