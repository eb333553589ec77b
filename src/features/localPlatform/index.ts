import * as vscode from 'vscode';
import { setContext } from '../../vscode/contextKeys.ts';
import { showError, UserError } from '../../vscode/errors.ts';
import type { Log } from '../../vscode/log.ts';
import { shown } from '../../vscode/text/shownText.ts';
import type { Services } from '../services.ts';
import { joinRunningPlatform } from './joinRunning.ts';
import { registerLocalPlatformCommands } from './localPlatformCommands.ts';
import { localPlatformStatusBar } from './localPlatformStatusBar.ts';

/** The local platform: its state in the status bar, and what is done with it. While it runs it can be the current connection. */
export function registerLocalPlatform(services: Services): vscode.Disposable {
  const { log, localPlatform, connections } = services;
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
    localPlatformStatusBar(localPlatform, connections),
    registerLocalPlatformCommands(services),
    joinRunningPlatform(services),
  );
}

function tellItStopped(log: Log, reason: string): void {
  const remedy = { label: 'Restart', command: 'cloudCompute.localPlatform.start' } as const;
  showError(
    log,
    new UserError(shown`${reason}. Nothing it had accepted is lost.`, remedy),
    'The local platform stopped',
  );
}
