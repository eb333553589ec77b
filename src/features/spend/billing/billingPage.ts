import * as l10n from '@vscode/l10n';
import type { WebviewPage } from '../../../kit/webviewPage.ts';

export const BILLING_PAGE: WebviewPage = {
  name: 'billing',
  iconName: 'billing',
  title: l10n.t('Billing'),
  showsPictures: false,
};
