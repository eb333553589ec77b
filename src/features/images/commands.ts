import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import type { CommandTable } from '../../kit/commands.ts';
import type { ImageEditors } from './imageEditors.ts';

/** Returns the commands for image edits. */
export function imageCommands(services: Pick<AccountServices, 'connections'>, editors: ImageEditors): CommandTable {
  return {
    'cloudCompute.images.edit': {
      failure: l10n.t('Could not edit the image'),
      run: async (argument) => (await import('./commands/editImageCommand.ts')).editImageCommand(editors, argument),
    },
    'cloudCompute.images.copyUrl': {
      failure: l10n.t('Could not copy the URL'),
      run: async () => (await import('./commands/copyRequest.ts')).copyModelUrl(services),
    },
    'cloudCompute.images.copyCurl': {
      failure: l10n.t('Could not copy the command'),
      run: async () => (await import('./commands/copyRequest.ts')).copyModelCurl(services),
    },
  };
}
