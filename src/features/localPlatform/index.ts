import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { setContext } from '../../vscode/contextKeys.ts';
import { showError } from '../../vscode/errors.ts';
import { UserError } from '../../vscode/userError.ts';
import type { Log } from '../../vscode/log.ts';
import { shown } from '../../vscode/text/shownText.ts';
import type { Services } from '../services.ts';
import { registerEngineCommands } from './engine/engineCommands.ts';
import { joinRunningPlatform } from './joinRunning.ts';
import { registerLocalPlatformCommands } from './localPlatformCommands.ts';
import { localPlatformStatusBar } from './localPlatformStatusBar.ts';
import { registerControlCommands } from './registerControl.ts';

/** Registers the local platform: its commands, its status bar item, and its context key. */
export function registerLocalPlatform(services: Services): vscode.Disposable {
  const { log, localPlatform, connections } = services;
  let before = localPlatform.state.kind;
  setContext('cloudCompute.localPlatform', before);
  return vscode.Disposable.from(
    localPlatform.onDidChange((state) => {
      if (state.kind !== 'running') connections.suspendLocal();
      setContext('cloudCompute.localPlatform', state.kind);
      // The command that starts the platform reports a failed start.
      if (state.kind === 'failed' && before === 'running') showStopped(log, state.message);
      before = state.kind;
    }),
    localPlatformStatusBar(localPlatform, connections),
    registerLocalPlatformCommands(services),
    registerControlCommands(services),
    registerEngineCommands(services),
    joinRunningPlatform(services),
  );
}

function showStopped(log: Log, reason: string): void {
  const remedy = { label: l10n.t('Restart'), command: 'cloudCompute.localPlatform.start' } as const;
  showError(
    log,
    new UserError(shown`${reason}. Its endpoints and jobs are saved.`, remedy),
    l10n.t('The local platform stopped'),
  );
}
