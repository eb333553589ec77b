import * as l10n from '@vscode/l10n';
import type { WebviewPage } from '../../kit/webviewPage.ts';
import { ToHost, type ImageEditToHost, type ImageEditAction } from '../../webviews/imageEdit/messages.ts';
import type { CommandId } from '../../kit/commandIds.ts';

export const IMAGE_EDIT_PAGE: WebviewPage<ImageEditToHost> = {
  name: 'imageEdit',
  iconName: 'image-edit',
  title: l10n.t('Edit Image'),
  showsPictures: true,
  messages: ToHost,
};

/** The command that each action of the page runs. */
export const IMAGE_EDIT_COMMANDS: Readonly<Record<ImageEditAction, CommandId>> = {
  startLocalPlatform: 'cloudCompute.localPlatform.start',
  switchConnection: 'cloudCompute.connections.switch',
  replaceKey: 'cloudCompute.connections.replaceKey',
  showLog: 'cloudCompute.showLog',
};
