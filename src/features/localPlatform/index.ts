import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { setContext } from '../../vscode/contextKeys.ts';
import { withProgress } from '../../vscode/progress.ts';
import type { Services } from '../services.ts';

/** Name people see for the local platform's connection. */
const LOCAL_NAME = 'Local Platform';

/** Start and stop the local platform; while it runs it can be the current connection. */
export function registerLocalPlatform({ log, localPlatform, connections }: Services): vscode.Disposable {
  setContext('cloudCompute.localPlatform', localPlatform.state.kind);
  return vscode.Disposable.from(
    localPlatform.onDidChange((state) => {
      if (state.kind !== 'running') connections.suspendLocal();
      if (state.kind === 'failed') log.error(`The local platform stopped: ${state.message}`);
      setContext('cloudCompute.localPlatform', state.kind);
    }),
    registerCommand(log, 'cloudCompute.localPlatform.start', 'Could not start the local platform', async () => {
      const { pid, dataDir, ...addresses } = await withProgress(
        { title: 'Starting the local platform…', location: { viewId: 'cloudCompute.endpoints' } },
        () => localPlatform.start(),
      );
      await connections.use({ kind: 'local', name: LOCAL_NAME, ...addresses });
    }),
    registerCommand(log, 'cloudCompute.localPlatform.stop', 'Could not stop the local platform', () =>
      localPlatform.stop(),
    ),
  );
}
