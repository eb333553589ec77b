import * as l10n from '@vscode/l10n';
import type { WebviewPage } from '../../../kit/webviewPage.ts';
import { ToHost, type BillingToHost } from '../../../webviews/billing/messages.ts';

export const BILLING_PAGE: WebviewPage<BillingToHost> = {
  name: 'billing',
  iconName: 'billing',
  title: l10n.t('Billing'),
  showsPictures: false,
  messages: ToHost,
};
