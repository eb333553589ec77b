import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { setContext } from '../../vscode/contextKeys.ts';
import { withProgress } from '../../vscode/progress.ts';
import type { Services } from '../services.ts';
import { clientOf } from './connectionStore.ts';
import { askForConnection } from './connectWizard.ts';

/** Which platform the extension speaks to, and with which key. */
export function registerConnections({ log, connections }: Services): vscode.Disposable {
  const show = () =>
    setContext('cloudCompute.connection', connections.loaded ? (connections.profile?.kind ?? 'none') : 'loading');
  show();
  void connections.load().catch((error: unknown) => log.error('The stored connection could not be read', error));
  return vscode.Disposable.from(
    connections.onDidChange(show),
    registerCommand(log, 'cloudCompute.connect', 'Could not connect', async () => {
      const profile = await askForConnection(connections.profile);
      if (!profile) return;
      // A key is stored only after the service has accepted it.
      await withProgress(
        { title: `Checking the key with ${profile.name}…`, location: vscode.ProgressLocation.Notification },
        (signal) => clientOf(profile).listEndpoints({}, { signal }),
      );
      await connections.use(profile);
    }),
    registerCommand(log, 'cloudCompute.disconnect', 'Could not disconnect', () => connections.forget()),
  );
}
