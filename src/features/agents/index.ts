import * as vscode from 'vscode';
import type { JobRecords } from '../jobs/index.ts';
import type { Services } from '../services.ts';
import { registerMcpServer } from './mcpServer.ts';
import { registerTools } from './registerTools.ts';

/** Registers what agents can use. */
export function registerAgents(services: Services, jobs: JobRecords): vscode.Disposable {
  return vscode.Disposable.from(registerTools(services, jobs), registerMcpServer(services));
}
