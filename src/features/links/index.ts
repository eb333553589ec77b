import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showError } from '../../vscode/errors.ts';
import { UserError } from '../../vscode/userError.ts';
import type { JobRecords } from '../jobs/index.ts';
import type { Services } from '../services.ts';
import { parseLink } from './model/link.ts';
import { openLink } from './openLink.ts';

/** Registers the links that open an endpoint or a job. */
export function registerLinks(base: Services, jobs: JobRecords): vscode.Disposable {
  const services = { ...base, ...jobs };
  const { log } = base;
  const open = async (uri: vscode.Uri): Promise<void> => {
    try {
      const link = parseLink(uri);
      if (!link) throw new UserError(l10n.t('it names neither an endpoint nor a job'));
      await openLink(services, link);
    } catch (error) {
      showError(log, error, l10n.t('Could not open the link'));
    }
  };
  return vscode.window.registerUriHandler({ handleUri: open });
}
