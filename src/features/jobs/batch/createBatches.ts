import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Reports } from '../../../kit/documents/reports.ts';
import { showError } from '../../../kit/errors.ts';
import { showMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { BatchFiles } from './batchFiles.ts';
import type { Batches, BatchServices } from './batches.ts';
import { openResults, saveResults } from './batchResults.ts';
import { BatchRuns, BATCH_FAILED, type ActiveBatch } from './batchRuns.ts';
import { nameOf, outcomeText } from './batchWords.ts';
import { sendAgain, sendUncertain } from './manageBatches.ts';

/** Creates the batches of this window. @param brokenRows shows rows that cannot be sent */
export function createBatches(base: AccountServices, brokenRows: Reports): Batches {
  const files = new BatchFiles(vscode.Uri.joinPath(base.context.globalStorageUri, 'batches').fsPath);
  const runs = new BatchRuns(base, (batch) => showOutcome({ ...base, batches }, batch));
  const batches: Batches = { files, runs, brokenRows };
  return batches;
}

/** Saves and opens the results of a batch, and shows how many rows have completed. */
async function showOutcome(services: BatchServices, { folder, header, runner: { state } }: ActiveBatch): Promise<void> {
  const file = await saveResults(folder);
  if (file !== undefined) await openResults(file);
  const [open, retry, again] = [
    l10n.t('Open Results'),
    l10n.t('Retry Failed'),
    l10n.t('Send Uncertain Again'),
  ] as const;
  const { failed, uncertain } = state.counts;
  const buttons = [open, ...(failed > 0 ? [retry] : []), ...(uncertain > 0 ? [again] : [])];
  const severity = failed + uncertain > 0 ? 'warning' : 'information';
  // Not awaited, because the batch has ended before the user responds to the message.
  void showMessage(severity, shown`Batch ${nameOf(header)}: ${outcomeText(state)}`, ...buttons)
    .then(async (chosen) => {
      if (chosen === open) {
        const current = file ?? (await saveResults(folder));
        if (current !== undefined) await openResults(current);
      }
      if (chosen === retry) await sendAgain(services, { folder, state }, state.rowsIn('failed'));
      if (chosen === again) await sendUncertain(services, { folder, state });
    })
    .catch((error: unknown) => showError(services.log, error, BATCH_FAILED));
}
