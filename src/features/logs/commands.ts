import * as l10n from '@vscode/l10n';
import type { CommandTable } from '../../kit/commands.ts';
import type { LogCommandOptions } from './commands/logCommands.ts';

/** Returns the commands for followed logs. Those for the pages of a full log are in `fullLog`. */
export function logCommands(options: LogCommandOptions): CommandTable {
  return {
    'cloudCompute.logs.open': {
      failure: l10n.t('Could not show the logs'),
      run: async (argument) => (await import('./commands/logCommands.ts')).openLog(options, argument),
    },
    'cloudCompute.logs.openSince': {
      failure: l10n.t('Could not show the logs'),
      run: async (argument) => (await import('./commands/logCommands.ts')).openLogSince(options, argument),
    },
    'cloudCompute.logs.openFull': {
      failure: l10n.t('Could not open the log'),
      run: async (argument) => (await import('./commands/logCommands.ts')).openFullLog(options, argument),
    },
    'cloudCompute.logs.stop': {
      failure: l10n.t('Could not stop following the log'),
      run: async () => (await import('./commands/logCommands.ts')).stopLog(options),
    },
    'cloudCompute.logs.resume': {
      failure: l10n.t('Could not resume the log'),
      run: async () => (await import('./commands/logCommands.ts')).resumeLog(options),
    },
    'cloudCompute.logs.clear': {
      failure: l10n.t('Could not clear the log'),
      run: async () => (await import('./commands/logCommands.ts')).clearLog(options),
    },
    'cloudCompute.logs.options': {
      failure: l10n.t('Could not change the log options'),
      run: async () => (await import('./commands/logOptions.ts')).changeLogOptions(options.services.clock.now()),
    },
  };
}
