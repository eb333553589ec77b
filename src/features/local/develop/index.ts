import * as vscode from 'vscode';
import { callAfter } from '../../../client/clock.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { WorkerDebugProvider } from './debugProvider.ts';
import { DebugSessions } from './debugSessions.ts';
import { DEBUG_TYPE } from './model/debugConfiguration.ts';
import { registerRestartOnSave } from './restartOnSave.ts';

/** Time in ms after which the platform has noticed that a worker is no longer held. */
const RELEASE_MS = 1_000;

/** Registers the tools for developing local workers: debugging and restarts on save. */
export function registerDevelop(services: AccountServices): vscode.Disposable {
  const { log, clock, endpoints } = services;
  const sessions = new DebugSessions(log, (endpointId) => {
    void endpoints.refreshOne(endpointId);
    // The platform notices the end of a hold a moment later.
    callAfter(clock, RELEASE_MS, () => void endpoints.refreshOne(endpointId));
  });
  const provider = new WorkerDebugProvider(services, sessions);
  // The editor resolves a configuration with each provider of its type, and each one would hold a worker.
  const offers = { provideDebugConfigurations: () => provider.provideDebugConfigurations() };
  const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
  return vscode.Disposable.from(
    sessions,
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, provider),
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, offers, Dynamic),
    registerRestartOnSave(services),
  );
}
