import * as l10n from '@vscode/l10n';
import type { CommandTable } from '../../kit/commands.ts';
import type { AccountServices } from '../accountServices.ts';

/** Returns the commands for connections. */
export function connectionCommands(services: AccountServices): CommandTable {
  return {
    'cloudCompute.connect': {
      failure: l10n.t('Could not connect'),
      run: async () => (await import('./connectionCommands.ts')).connect(services),
    },
    'cloudCompute.connections.switch': {
      failure: l10n.t('Could not switch the connection'),
      run: async () => (await import('./connectionCommands.ts')).switchConnection(services),
    },
    'cloudCompute.connections.manage': {
      failure: l10n.t('Could not change the connection'),
      run: async (id) => (await import('./connectionCommands.ts')).manage(services, id),
    },
    'cloudCompute.connections.replaceKey': {
      failure: l10n.t('Could not replace the key'),
      run: async (id) => (await import('./connectionCommands.ts')).replaceKey(services, id),
    },
  };
}
