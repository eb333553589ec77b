import * as l10n from '@vscode/l10n';
import type { WebviewPage } from '../../../kit/webviewPage.ts';
import { ToHost, type MetricsToHost } from '../../../webviews/metrics/messages.ts';

export const METRICS_PAGE: WebviewPage<MetricsToHost> = {
  name: 'metrics',
  iconName: 'metrics',
  title: l10n.t('Metrics'),
  showsPictures: false,
  messages: ToHost,
};
