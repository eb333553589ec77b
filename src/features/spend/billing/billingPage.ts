import * as l10n from '@vscode/l10n';
import type { WebviewPage } from '../../../kit/webviewPage.ts';
import { ToHost, type BillingToHost, type BillingAction } from '../../../webviews/billing/messages.ts';
import type { CommandId } from '../../../kit/commandIds.ts';

export const BILLING_PAGE: WebviewPage<BillingToHost> = {
  name: 'billing',
  iconName: 'billing',
  title: l10n.t('Billing'),
  showsPictures: false,
  messages: ToHost,
};

/** The command that each action of the page runs. */
export const BILLING_COMMANDS: Readonly<Record<BillingAction, CommandId>> = {
  runJob: 'cloudCompute.jobs.run',
  startLocalPlatform: 'cloudCompute.localPlatform.start',
  replaceKey: 'cloudCompute.connections.replaceKey',
  showLog: 'cloudCompute.showLog',
};
