import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { setContext } from '../../vscode/contextKeys.ts';
import { showError, UserError } from '../../vscode/errors.ts';
import { withProgress } from '../../vscode/progress.ts';
import type { Services } from '../services.ts';

/** Name people see for the local platform's connection. */
const LOCAL_NAME = 'Local Platform';

/** Start and stop the local platform; while it runs it can be the current connection. */
export function registerLocalPlatform({ log, localPlatform, connections }: Services): vscode.Disposable {
  let before = localPlatform.state.kind;
  setContext('cloudCompute.localPlatform', before);
  return vscode.Disposable.from(
    localPlatform.onDidChange((state) => {
      if (state.kind !== 'running') connections.suspendLocal();
      setContext('cloudCompute.localPlatform', state.kind);
      // A failed start is told by the command that tried it.
      if (state.kind === 'failed' && before === 'running') tellItStopped(log, state.message);
      before = state.kind;
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

function tellItStopped(log: vscode.LogOutputChannel, reason: string): void {
  const remedy = { label: 'Restart', command: 'cloudCompute.localPlatform.start' } as const;
  showError(log, new UserError(`${reason}. Nothing it had accepted is lost.`, remedy), 'The local platform stopped');
}
