import * as l10n from '@vscode/l10n';
import { showError } from '../../../kit/errors.ts';
import { confirmed, showMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';
import { stateKey } from '../../../kit/keyedState.ts';
import { deleteBatch, isInterrupted, listBatches, type ListedBatch } from './actions/listBatches.ts';
import { leftText, nameOf } from './batchWords.ts';
import { runsElsewhere } from './batchRuns.ts';
import { resumeBatch, showResults } from './manageBatches.ts';
import type { BatchServices } from './batches.ts';

const keyOf = (connectionId: string) => stateKey(connectionId, 'batches.offered');

/** Offers the interrupted batches of a connection. Each interruption is offered once, in one window. */
export async function offerBatches(services: BatchServices, connectionId: string): Promise<void> {
  const storage = services.globalState;
  const { batches: all } = await listBatches(services.batches.files, services.clock.now());
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
