import type { WebviewPage } from '../../vscode/webviewPage.ts';

export const BILLING_PAGE: WebviewPage = {
  name: 'billing',
  iconName: 'billing',
  title: 'Billing',
  showsPictures: false,
};
