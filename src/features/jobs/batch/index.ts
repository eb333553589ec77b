import * as vscode from 'vscode';
import { registerCommand } from '../../../vscode/commands.ts';
import { registerFiles } from '../../../vscode/documentFiles.ts';
import { showError } from '../../../vscode/errors.ts';
import { showMessage } from '../../../vscode/messages.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import { formatted } from '../../../vscode/text/markdown.ts';
import type { Services } from '../../services.ts';
import { BatchFiles } from './batchFiles.ts';
import { openResults, saveResults } from './batchResults.ts';
import { BatchRuns, BATCH_FAILED, type ActiveBatch } from './batchRuns.ts';
import { nameOf, outcomeText } from './batchWords.ts';
import { BROKEN_ROWS_SCHEME, BrokenRowsDocuments } from './brokenRowsDocuments.ts';
import { manageBatches, sendAgain, sendUncertain } from './manageBatches.ts';
import { offerBatches } from './offerBatches.ts';
import { runBatchCommand, type BatchServices } from './runBatchCommand.ts';

/** Registers the commands for batches of jobs, and offers interrupted batches. */
export function registerBatches(base: Services): vscode.Disposable {
  const { context, log, connections } = base;
  const services: BatchServices = {
    ...base,
    files: new BatchFiles(vscode.Uri.joinPath(context.globalStorageUri, 'batches').fsPath),
    runs: new BatchRuns(base, (batch) => showOutcome(services, batch)),
    brokenRows: new BrokenRowsDocuments(),
  };
  const offeredFor = new Set<string>();
  const offer = (): void => {
    const { profile, client } = connections;
    if (!profile || !client || offeredFor.has(profile.id)) return;
    offeredFor.add(profile.id);
    offerBatches(services, profile.id).catch((error: unknown) => log.warn('Could not read the batches', error));
  };
  return vscode.Disposable.from(
    services.runs,
    services.brokenRows,
    connections.onDidChange(offer),
    registerFiles(
      BROKEN_ROWS_SCHEME,
      services.brokenRows,
      formatted`This document lists rows of a file and is read-only.`,
    ),
    registerCommand(log, 'cloudCompute.batch.run', BATCH_FAILED, (argument) => runBatchCommand(services, argument)),
    registerCommand(log, 'cloudCompute.batch.manage', 'Could not show the batches', () => manageBatches(services)),
  );
}

/** Writes and opens the results of a batch, and shows how many rows have completed. */
async function showOutcome(services: BatchServices, { folder, header, runner: { state } }: ActiveBatch): Promise<void> {
  const files = await saveResults(folder);
  if (files) await openResults(files);
  const [open, retry, again] = ['Open Results', 'Retry Failed', 'Send Uncertain Again'] as const;
  const { failed, uncertain } = state.counts;
  const buttons = [open, ...(failed > 0 ? [retry] : []), ...(uncertain > 0 ? [again] : [])];
  const severity = failed + uncertain > 0 ? 'warning' : 'information';
  // Not awaited, because the batch has ended before the user responds to the message.
  void showMessage(severity, shown`Batch ${nameOf(header)}: ${outcomeText(state)}`, ...buttons)
    .then(async (chosen) => {
      if (chosen === open) {
        const current = files ?? (await saveResults(folder));
        if (current) await openResults(current);
      }
      if (chosen === retry) await sendAgain(services, { folder, state }, state.rowsIn('failed'));
      if (chosen === again) await sendUncertain(services, { folder, state });
    })
    .catch((error: unknown) => showError(services.log, error, BATCH_FAILED));
}
