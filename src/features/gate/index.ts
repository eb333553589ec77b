import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import { Reports } from '../../kit/documents/reports.ts';
import type { Lazy } from '../../kit/lazy.ts';
import { formatted } from '../../text/markdown.ts';
import { aJobOf, type Jobs } from '../jobs/index.ts';

/** Registers the gate of workers: *Keep Job for Gate…*, *Run Gate*, and its reports. */
export function registerGate(services: AccountServices, jobs: Lazy<Jobs>): vscode.Disposable {
  const { clock, log } = services;
  const reports = new Reports({
    scheme: 'cloud-compute-gate',
    gone: formatted`This report is no longer available. Run *Run Gate* again.`,
    whyReadonly: formatted`This is the report of a gate.`,
    clock,
  });
  return vscode.Disposable.from(
    reports.register(),
    registerCommands(log, {
      'cloudCompute.gate.keepJob': {
        failure: l10n.t('Could not keep the job'),
        run: aJobOf(jobs, l10n.t('Job to keep for the gate'), async (chosen) =>
          (await import('./keepJob.ts')).keepJob((await jobs.get()).services, chosen),
        ),
      },
      'cloudCompute.gate.run': {
        failure: l10n.t('Could not run the gate'),
        run: async (...args) => (await import('./runGateCommand.ts')).runGateCommand(services, reports, args),
      },
    }),
  );
}
