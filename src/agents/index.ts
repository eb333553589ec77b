import * as vscode from 'vscode';
import type { Lazy } from '../kit/lazy.ts';
import type { Jobs } from '../features/jobs/index.ts';
import type { AccountServices } from '../account/accountServices.ts';
import { registerCommands, type CommandTable } from '../kit/commands.ts';
import { registerTools } from './registerTools.ts';
import * as l10n from '@vscode/l10n';

/** Registers the tools of agents, and the command that configures the MCP server. */
export function registerAgents(services: AccountServices, jobs: Lazy<Jobs>): vscode.Disposable {
  return vscode.Disposable.from(registerTools(services, jobs), registerCommands(services.log, agentCommands(services)));
}

/** Returns the commands for agents. */
function agentCommands(services: Pick<AccountServices, 'context' | 'connections'>): CommandTable {
  return {
    'cloudCompute.agents.copyMcpConfiguration': {
      failure: l10n.t('Could not copy the configuration'),
      run: async () => (await import('./mcpServer.ts')).copyMcpConfiguration(services),
    },
  };
}
