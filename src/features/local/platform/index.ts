import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { setContext } from '../../../kit/contextKeys.ts';
import { showError } from '../../../kit/errors.ts';
import { UserError } from '../../../kit/userError.ts';
import type { Log } from '../../../kit/log.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { resumePlatform } from './resumePlatform.ts';
import { registerTerminals } from './terminals.ts';
import { localPlatformStatusBar } from './localPlatformStatusBar.ts';

/** Registers the local platform: its status bar item, its context key, and its directory for terminals. */
export function registerLocalPlatform(
  services: Pick<AccountServices, 'context' | 'log' | 'connections' | 'localPlatform'>,
): vscode.Disposable {
  const { context, log, localPlatform, connections } = services;
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
    registerTerminals(context),
    localPlatformStatusBar(localPlatform, connections),
    resumePlatform(services),
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
