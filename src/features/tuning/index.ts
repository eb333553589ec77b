import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import type { OwnJobs } from './model/measuredLoad.ts';

/** Registers *Tune Scaling…*. */
export function registerTuning(services: AccountServices, ownJobs: OwnJobs): vscode.Disposable {
  return registerCommands(services.log, {
    'cloudCompute.endpoints.tune': {
      failure: l10n.t('Could not tune the scaling'),
      run: async (...args) => (await import('./tuningCommand.ts')).tuningCommand(services, ownJobs, args),
    },
  });
}
