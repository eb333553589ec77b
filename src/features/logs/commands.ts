import * as l10n from '@vscode/l10n';
import type { CommandTable } from '../../kit/commands.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { Logs } from './createLogs.ts';
import { fullLogCommands } from './fullLog/fullLogCommands.ts';

/** Returns the commands for followed logs, and for the pages of full logs. */
export function logCommands({ clock }: Pick<AccountServices, 'clock'>, logs: Lazy<Logs>): CommandTable {
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
