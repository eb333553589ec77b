import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import { DocumentShell } from '../../kit/documents/documentShell.ts';
import { Lazy } from '../../kit/lazy.ts';
import { formatted } from '../../text/markdown.ts';
import { logCommands } from './commands.ts';
import type { Logs } from './createLogs.ts';
import { FOLLOWED_KEY, FULL_LOG_SCHEME } from './logLanguage.ts';

/** Registers the logs of workers and endpoints. Their code is loaded for the first log, and for those of the last session. */
export function registerLogs(services: AccountServices): vscode.Disposable {
  const { context, log } = services;
  const logs = new Lazy<Logs>(async () => (await import('./createLogs.ts')).createLogs(services, pages));
  const pages = new DocumentShell(
    FULL_LOG_SCHEME,
    formatted`The lines of a log cannot be changed. **Save As…** saves them to a file.`,
    () => logs.get(),
  );
  if (context.workspaceState.get(FOLLOWED_KEY) !== undefined)
    logs.createSoon((error) => log.error('Could not continue the logs', error));
  return vscode.Disposable.from(
    pages.register(),
    registerCommands(log, logCommands(services, logs)),
    new vscode.Disposable(() => {
      logs.value?.disposable.dispose();
    }),
  );
}
