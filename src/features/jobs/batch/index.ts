import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { BatchServices } from './batches.ts';
import { BATCH_FAILED } from './batchRuns.ts';
import { createBatches } from './createBatches.ts';
import { manageBatches } from './manageBatches.ts';
import { offerBatches } from './offerBatches.ts';
import { runBatchCommand } from './runBatchCommand.ts';

/** Registers the commands for batches of jobs, and offers interrupted batches. */
export function registerBatches(base: AccountServices): vscode.Disposable {
  const batches = createBatches(base);
  const services: BatchServices = { ...base, batches };
  const { log, connections } = base;
  const offeredFor = new Set<string>();
  const offer = (): void => {
    const { profile, client } = connections;
    if (!profile || !client || offeredFor.has(profile.id)) return;
    offeredFor.add(profile.id);
    offerBatches(services, profile.id).catch((error: unknown) => log.warn('Could not read the batches', error));
  };
  return vscode.Disposable.from(
    batches.runs,
    batches.brokenRows.register(),
    connections.onDidChange(offer),
    registerCommand(log, 'cloudCompute.batch.run', BATCH_FAILED, (argument) => runBatchCommand(services, argument)),
    registerCommand(log, 'cloudCompute.batch.manage', l10n.t('Could not show the batches'), () =>
      manageBatches(services),
    ),
  );
}
