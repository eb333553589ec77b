import * as l10n from '@vscode/l10n';
import type { WebviewPage } from '../../kit/webviewPage.ts';
import { ToHost, type TuningToHost } from '../../webviews/tuning/messages.ts';

export const TUNING_PAGE: WebviewPage<TuningToHost> = {
  name: 'tuning',
  iconName: 'metrics',
  title: l10n.t('Scaling'),
  showsPictures: false,
  messages: ToHost,
};
