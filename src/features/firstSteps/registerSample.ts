import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import type { JobRecords } from '../jobs/index.ts';
import type { Services } from '../services.ts';

/** Registers the command that runs the sample, whose code loads on first use. */
export function registerSample(services: Services, jobs: JobRecords): vscode.Disposable {
  return registerCommand(services.log, 'cloudCompute.sample.try', l10n.t('Could not try the sample'), async () => {
    const { trySample } = await import('./trySample.ts');
    await trySample(services, jobs);
  });
}
