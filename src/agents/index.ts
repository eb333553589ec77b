import * as vscode from 'vscode';
import type { Lazy } from '../kit/lazy.ts';
import type { Jobs } from '../features/jobs/index.ts';
import type { AccountServices } from '../account/accountServices.ts';
import { registerCommands } from '../kit/commands.ts';
import { agentCommands } from './commands.ts';
import { registerTools } from './registerTools.ts';

/** Registers the tools of agents, and the command that configures the MCP server. */
export function registerAgents(services: AccountServices, jobs: Lazy<Jobs>): vscode.Disposable {
  return vscode.Disposable.from(registerTools(services, jobs), registerCommands(services.log, agentCommands(services)));
}
