import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import type { AccountServices } from '../../../account/accountServices.ts';

/** Registers the command that creates a manifest. */
export function registerNewFile(services: AccountServices): vscode.Disposable {
  return registerCommand(
    services.log,
    'cloudCompute.manifest.newFile',
    l10n.t('Could not create the file'),
    async (argument) => {
      const { newEndpointFile } = await import('./newFileWizard.ts');
      await newEndpointFile(services, argument);
    },
  );
}
