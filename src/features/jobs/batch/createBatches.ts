import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Reports } from '../../../kit/documents/reports.ts';
import { showError } from '../../../kit/errors.ts';
import { showMessage, confirmed } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { stateKey } from '../../../kit/keyedState.ts';
import { openResults, saveResults } from './batchResults.ts';
import {
  BATCH_FAILED,
  BatchRuns,
  runsElsewhere,
  type ActiveBatch,
  type Batches,
  type BatchServices,
} from './batchRuns.ts';
import { nameOf, outcomeText, leftText } from './batchWords.ts';
import { sendAgain, sendUncertain, resumeBatch, showResults } from './manageBatches.ts';
import { deleteBatch, isInterrupted, listBatches, type ListedBatch } from './actions/listBatches.ts';

/** Creates the batches of this window. @param brokenRows shows rows that cannot be sent */
export function createBatches(base: AccountServices, brokenRows: Reports): Batches {
  const root = vscode.Uri.joinPath(base.context.globalStorageUri, 'batches').fsPath;
  const runs = new BatchRuns(base, (batch) => showOutcome({ ...base, batches }, batch));
  const batches: Batches = { root, runs, brokenRows };
  return batches;
}

/** Saves the results of a batch, and shows how many rows have completed. The user can be busy with something else, so it opens nothing. */
async function showOutcome(services: BatchServices, { folder, header, runner: { state } }: ActiveBatch): Promise<void> {
  const file = await saveResults(folder);
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

const keyOf = (connectionId: string) => stateKey(connectionId, 'batches.offered');

/** Offers the interrupted batches of a connection. Each interruption is offered once, in one window. */
export async function offerBatches(services: BatchServices, connectionId: string): Promise<void> {
  const storage = services.globalState;
  const { batches: all } = await listBatches(services.batches.root, services.clock.now());
  const interrupted = all.filter((batch) => isInterrupted(batch) && batch.state.header.connectionId === connectionId);
  const offered = (storage.get(keyOf(connectionId)) ?? []) as readonly string[];
  const marks = interrupted.map(markOf);
  if (marks.length > 0 || offered.length > 0) await storage.update(keyOf(connectionId), marks);
  for (const batch of interrupted) if (!offered.includes(markOf(batch))) void offer(services, batch);
}

/** A batch that ran in the meantime has fewer rows left and is offered again. */
function markOf({ id, state }: ListedBatch): string {
  return `${id} ${state.left}`;
}

async function offer(services: BatchServices, batch: ListedBatch): Promise<void> {
  const [resume, results, discard] = [l10n.t('Resume'), l10n.t('Show Results'), l10n.t('Discard')] as const;
  try {
    const chosen = await showMessage('information', leftText(batch.state), resume, results, discard);
    if (chosen === resume) resumeBatch(services, batch);
    if (chosen === results) await showResults(batch.folder);
    if (chosen === discard && (await mayDiscard(batch)) && !(await deleteBatch(batch))) throw runsElsewhere();
  } catch (error) {
    showError(services.log, error, l10n.t('Could not resume the batch'));
  }
}

function mayDiscard({ state }: ListedBatch): Promise<boolean> {
  return confirmed(
    shown`Discard the batch ${nameOf(state.header)}?`,
    shown`Its unsent rows and its results are deleted.`,
    l10n.t('Discard'),
  );
}
