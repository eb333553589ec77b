import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import type { CommandTable } from '../../kit/commands.ts';

/** Returns the commands for network volumes. */
export function volumeCommands(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform' | 'endpoints' | 'liveValues'>,
): CommandTable {
  return {
    'cloudCompute.volumes.create': {
      failure: l10n.t('Could not create the network volume'),
      run: async () => (await import('./createCommand.ts')).askAndCreate(services),
    },
    'cloudCompute.volumes.resize': {
      failure: l10n.t('Could not grow the network volume'),
      run: async (node) => (await import('./volumeCommands.ts')).askAndGrow(services, node),
    },
    'cloudCompute.volumes.rename': {
      failure: l10n.t('Could not rename the network volume'),
      run: async (node) => (await import('./volumeCommands.ts')).askAndRename(services, node),
    },
    'cloudCompute.volumes.delete': {
      failure: l10n.t('Could not delete the network volume'),
      run: async (node) => (await import('./volumeCommands.ts')).askAndDelete(services, node),
    },
    'cloudCompute.volumes.openFiles': {
      failure: l10n.t('Could not open the files'),
      run: async (node) => (await import('./fileCommands.ts')).openFiles(services, node),
    },
    'cloudCompute.volumes.upload': {
      failure: l10n.t('Could not upload the files'),
      run: async (target, given) => (await import('./fileCommands.ts')).upload(services, target, given),
    },
    'cloudCompute.volumes.download': {
      failure: l10n.t('Could not download the files'),
      run: async (source, given) => (await import('./fileCommands.ts')).download(services, source, given),
    },
  };
}
