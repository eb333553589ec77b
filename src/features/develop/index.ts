import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { WorkerDebugProvider } from './debugProvider.ts';
import { DebugSessions } from './debugSessions.ts';
import { registerDevelopCommands } from './developCommands.ts';
import { DEBUG_TYPE } from './model/debugConfiguration.ts';
import { registerRestartOnSave } from './restartOnSave.ts';

/** Registers the tools for developing local workers: debugging, restarts on save, and terminals. */
export function registerDevelop(services: Services): vscode.Disposable {
  const { log, endpoints } = services;
  const sessions = new DebugSessions(log, () => void endpoints.refresh());
  const provider = new WorkerDebugProvider(services, sessions);
  const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
  return vscode.Disposable.from(
    sessions,
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, provider),
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, provider, Dynamic),
    registerDevelopCommands(services),
    registerRestartOnSave(services),
  );
}
