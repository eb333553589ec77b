import * as vscode from 'vscode';
import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands, type CommandTable } from '../../kit/commands.ts';
import { Reports } from '../../kit/documents/reports.ts';
import type { Lazy } from '../../kit/lazy.ts';
import { formatted } from '../../text/markdown.ts';
import type { Jobs } from '../jobs/index.ts';

/** Registers *Replay Locally…* for jobs and recordings, and its reports. */
export function registerReplay(services: AccountServices, jobs: Lazy<Jobs>): vscode.Disposable {
  const { clock, log } = services;
  const reports = new Reports({
    scheme: 'cloud-compute-replay',
    gone: formatted`This report is no longer available. Replay the job again.`,
    whyReadonly: formatted`This is the report of a replay.`,
    clock,
  });
  return vscode.Disposable.from(reports.register(), registerCommands(log, replayCommands(services, jobs, reports)));
}

function replayCommands(services: AccountServices, jobs: Lazy<Jobs>, reports: Reports): CommandTable {
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
