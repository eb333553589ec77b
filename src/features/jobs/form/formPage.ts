import * as l10n from '@vscode/l10n';
import type { WebviewPage } from '../../../kit/webviewPage.ts';
import { ToHost, type JobFormToHost } from '../../../webviews/jobForm/messages.ts';

export const JOB_FORM_PAGE: WebviewPage<JobFormToHost> = {
  name: 'jobForm',
  iconName: 'job-form',
  title: l10n.t('Run Job'),
  showsPictures: true,
  messages: ToHost,
};
