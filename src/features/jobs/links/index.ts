import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showError } from '../../../kit/errors.ts';
import { UserError } from '../../../kit/userError.ts';
import type { JobServices } from '../jobServices.ts';
import { parseLink } from './model/link.ts';
import { openLink } from './openLink.ts';

/** Registers the links that open an endpoint or a job. */
export function registerLinks(services: JobServices): vscode.Disposable {
  const { log } = services;
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
