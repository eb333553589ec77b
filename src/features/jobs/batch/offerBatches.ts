import * as l10n from '@vscode/l10n';
import { showError } from '../../../vscode/errors.ts';
import { confirmed, showMessage } from '../../../vscode/messages.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import { stateKey } from '../../connections/connectionState.ts';
import { deleteBatch, isInterrupted, listBatches, type ListedBatch } from './actions/listBatches.ts';
import { leftText, nameOf } from './batchWords.ts';
import { runsElsewhere } from './batchRuns.ts';
import { resumeBatch, showResults } from './manageBatches.ts';
import type { Services } from '../../services.ts';

const keyOf = (connectionId: string) => stateKey(connectionId, 'batches.offered');

/** Offers the interrupted batches of a connection. Each interruption is offered once, in one window. */
export async function offerBatches(services: Services, connectionId: string): Promise<void> {
  const storage = services.context.globalState;
  const { batches: all } = await listBatches(services.batches.files, services.clock.now());
  const interrupted = all.filter((batch) => isInterrupted(batch) && batch.state.header.connectionId === connectionId);
  const offered = storage.get<readonly string[]>(keyOf(connectionId), []);
  const marks = interrupted.map(markOf);
  if (marks.length > 0 || offered.length > 0) await storage.update(keyOf(connectionId), marks);
  for (const batch of interrupted) if (!offered.includes(markOf(batch))) void offer(services, batch);
  for (const batch of all) {
    if (batch.state.header.connectionId !== connectionId || !(await isUnsaved(services, batch))) continue;
    void offerResults(services, batch);
  }
}

/** A batch that ran in the meantime has fewer rows left and is offered again. */
function markOf({ id, state }: ListedBatch): string {
  return `${id} ${state.left}`;
}

async function offer(services: Services, batch: ListedBatch): Promise<void> {
  const [resume, results, discard] = [l10n.t('Resume'), l10n.t('Show Results'), l10n.t('Discard')] as const;
  try {
    const chosen = await showMessage('information', leftText(batch.state), resume, results, discard);
    if (chosen === resume) resumeBatch(services, batch);
    if (chosen === results) await showResults(services, batch.folder);
    if (chosen === discard && (await mayDiscard(batch)) && !(await deleteBatch(batch))) throw runsElsewhere();
  } catch (error) {
    showError(services.log, error, l10n.t('Could not resume the batch'));
  }
}

/** Returns whether the editor closed after the last row of a batch and before all results were saved. */
async function isUnsaved({ batches, clock }: Services, { state, folder, isRunning }: ListedBatch): Promise<boolean> {
  const { header, left, stop, counts } = state;
  const task = batches.tasks.get(header.task ?? '');
  const isRecent = clock.now() - header.createdAt < RESULT_LIFETIME_MS;
  if (!task || !isRecent || isRunning || left > 0 || stop !== 'done' || counts.completed === 0) return false;
  return !(await task.isSaved(folder, state));
}

/** Time in ms after which unsaved results are no longer offered. Platforms delete results, and their addresses expire. */
const RESULT_LIFETIME_MS = 24 * 3_600_000;

async function offerResults(services: Services, { state, folder }: ListedBatch): Promise<void> {
  try {
    const save = l10n.t('Save Results');
    const chosen = await showMessage(
      'information',
      shown`Not all results of the batch ${nameOf(state.header)} are saved.`,
      save,
    );
    if (chosen === save) await showResults(services, folder);
  } catch (error) {
    showError(services.log, error, l10n.t('Could not save the results'));
  }
}

function mayDiscard({ state }: ListedBatch): Promise<boolean> {
  return confirmed(
    shown`Discard the batch ${nameOf(state.header)}?`,
    shown`Its rows that have not been sent, and its results, are deleted.`,
    l10n.t('Discard'),
  );
}
