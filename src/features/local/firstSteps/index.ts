import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import type { JobRecords } from '../../jobs/index.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { openWalkthrough } from './openWalkthrough.ts';
import { followSteps } from './stepFacts.ts';

/** Registers the walkthrough and the sample: their commands, and the completed steps. */
export function registerFirstSteps(services: AccountServices, jobs: JobRecords): vscode.Disposable {
  const { context, log } = services;
  return vscode.Disposable.from(
    followSteps(services, jobs),
    registerCommand(log, 'cloudCompute.walkthrough.open', l10n.t('Could not open the walkthrough'), () =>
      openWalkthrough(context.extension.id),
    ),
    registerCommand(log, 'cloudCompute.sample.try', l10n.t('Could not try the sample'), async () => {
      const { trySample } = await import('./trySample.ts');
      await trySample(services, jobs);
    }),
  );
}
