import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { LogChannels } from './logChannels.ts';
import { registerLogCommands } from './logCommands.ts';
import { LogStatusBar } from './logStatusBar.ts';
import { WorkerLogStore } from './workerLogStore.ts';

/** Follows the logs of workers in output channels. */
export function registerLogs(services: Services): vscode.Disposable {
  const store = new WorkerLogStore(services.connections);
  const channels = new LogChannels(store, services.clock);
  return vscode.Disposable.from(
    registerLogCommands(services, store, channels),
    new LogStatusBar(store),
    channels,
    store,
  );
}
