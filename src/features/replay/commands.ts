import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import type { CommandTable } from '../../kit/commands.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { Reports } from '../../kit/documents/reports.ts';
import type { Jobs } from '../jobs/index.ts';

export function replayCommands(services: AccountServices, jobs: Lazy<Jobs>, reports: Reports): CommandTable {
  return {
    'cloudCompute.jobs.replay': {
      failure: l10n.t('Could not replay the job'),
      run: async (argument) =>
        (await import('./replayCommand.ts')).replayCommand(
          { services, jobs: (await jobs.get()).services, reports },
          argument,
        ),
    },
  };
}
