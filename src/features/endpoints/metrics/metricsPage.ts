import * as l10n from '@vscode/l10n';
import type { WebviewPage } from '../../../kit/webviewPage.ts';
import { ToHost, type MetricsToHost, type MetricsAction } from '../../../webviews/metrics/messages.ts';
import type { CommandId } from '../../../kit/commandIds.ts';

export const METRICS_PAGE: WebviewPage<MetricsToHost> = {
  name: 'metrics',
  iconName: 'metrics',
  title: l10n.t('Metrics'),
  showsPictures: false,
  messages: ToHost,
};

/** The command that each action of the page runs. */
export const METRICS_COMMANDS: Readonly<Record<MetricsAction, CommandId>> = {
  runJob: 'cloudCompute.jobs.run',
  openBilling: 'cloudCompute.billing.open',
  startLocalPlatform: 'cloudCompute.localPlatform.start',
  switchConnection: 'cloudCompute.connections.switch',
  replaceKey: 'cloudCompute.connections.replaceKey',
  showLog: 'cloudCompute.showLog',
};
