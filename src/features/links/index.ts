import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { showError } from '../../vscode/errors.ts';
import { UserError } from '../../vscode/userError.ts';
import type { JobRecords } from '../jobs/index.ts';
import type { Services } from '../services.ts';
import { copyEndpointLinks, copyJobLinks } from './copyLink.ts';
import { parseLink } from './model/link.ts';
import { openLink } from './openLink.ts';

/** Registers the links that open an endpoint or a job, and the commands that copy them. */
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
  return vscode.Disposable.from(
    vscode.window.registerUriHandler({ handleUri: open }),
    registerCommand(log, 'cloudCompute.links.copyEndpoint', l10n.t('Could not copy the link'), (...args) =>
      copyEndpointLinks(services, args),
    ),
    registerCommand(log, 'cloudCompute.links.copyJob', l10n.t('Could not copy the link'), (...args) =>
      copyJobLinks(services, args),
    ),
  );
}
