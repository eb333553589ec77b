import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../account/accountServices.ts';
import type { CommandTable } from '../kit/commands.ts';

/** Returns the commands for agents. */
export function agentCommands(services: Pick<AccountServices, 'context' | 'connections'>): CommandTable {
  return {
    'cloudCompute.agents.copyMcpConfiguration': {
      failure: l10n.t('Could not copy the configuration'),
      run: async () => (await import('./mcpServer.ts')).copyMcpConfiguration(services),
    },
  };
}
