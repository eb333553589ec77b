import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands, type CommandTable } from '../../kit/commands.ts';
import { DocumentShell } from '../../kit/documents/documentShell.ts';
import { Lazy } from '../../kit/lazy.ts';
import { formatted } from '../../text/markdown.ts';
import type { Logs } from './createLogs.ts';
import { FOLLOWED_KEY, FULL_LOG_SCHEME } from './logLanguage.ts';
import { fullLogCommands } from './fullLog/fullLogCommands.ts';

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

/** Returns the commands for followed logs, and for the pages of full logs. */
function logCommands({ clock }: Pick<AccountServices, 'clock'>, logs: Lazy<Logs>): CommandTable {
  return {
    ...fullLogCommands(clock, async () => (await logs.get()).fullLog),
    'cloudCompute.logs.open': {
      failure: l10n.t('Could not show the logs'),
      run: async (argument) => (await import('./commands/logCommands.ts')).openLog(await logs.get(), argument),
    },
    'cloudCompute.logs.openSince': {
      failure: l10n.t('Could not show the logs'),
      run: async (argument) => (await import('./commands/logCommands.ts')).openLogSince(await logs.get(), argument),
    },
    'cloudCompute.logs.openFull': {
      failure: l10n.t('Could not open the log'),
      run: async (argument, at) =>
        (await import('./commands/logCommands.ts')).openFullLog(await logs.get(), argument, at),
    },
    'cloudCompute.logs.stop': {
      failure: l10n.t('Could not stop following the log'),
      run: async () => (await import('./commands/logCommands.ts')).stopLog(await logs.get()),
    },
    'cloudCompute.logs.resume': {
      failure: l10n.t('Could not resume the log'),
      run: async () => (await import('./commands/logCommands.ts')).resumeLog(await logs.get()),
    },
    'cloudCompute.logs.clear': {
      failure: l10n.t('Could not clear the log'),
      run: async () => (await import('./commands/logCommands.ts')).clearLog(await logs.get()),
    },
    'cloudCompute.logs.options': {
      failure: l10n.t('Could not change the log options'),
      run: async () => (await import('./commands/logOptions.ts')).changeLogOptions(clock.now()),
    },
  };
}
