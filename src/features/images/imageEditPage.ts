import type { WebviewPage } from '../../vscode/webviewPage.ts';

export const IMAGE_EDIT_PAGE: WebviewPage = {
  name: 'imageEdit',
  iconName: 'image-edit',
  title: 'Edit Image',
  showsPictures: true,
};
