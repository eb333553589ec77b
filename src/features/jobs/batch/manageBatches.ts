import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { confirmed, showMessage } from '../../../vscode/messages.ts';
import { pick } from '../../../vscode/quickInput.ts';
import { joined, shown } from '../../../vscode/text/shownText.ts';
import { UserError } from '../../../vscode/userError.ts';
import { requireConnectionOf } from '../../connections/requireConnection.ts';
import { mayRunOn } from '../confirmHosted.ts';
import { ago } from '../jobWords.ts';
import { deleteBatch, listBatches, type ListedBatch } from './actions/listBatches.ts';
import { openResults, saveResults } from './batchResults.ts';
import { runInBackground, type ActiveBatch } from './batchRuns.ts';
import { counted, nameOf, outcomeText, progressText, stateText } from './batchWords.ts';
import type { Services } from '../../services.ts';

/** Lists the batches, and offers the actions of the chosen one. */
export async function manageBatches(services: Services): Promise<void> {
  const batches = await listBatches(services.batches.files, services.clock.now());
  if (batches.length === 0)
    throw new UserError(l10n.t('there are no batches yet'), {
      label: l10n.t('Run Batch…'),
      command: 'cloudCompute.batch.run',
    });
  const items = batches.map((batch) => {
    const { header } = batch.state;
    const active = services.batches.runs.find(batch.id);
    const connection = services.connections.find(header.connectionId)?.name ?? l10n.t('a removed connection');
    return {
      label: shown`${nameOf(header)}`,
      description: joined(
        [stateText(batch, active?.runner.progress.isPaused === true), ago(services.clock.now() - header.createdAt)],
        ' · ',
      ),
      detail: shown`${header.endpointName} on ${connection}: ${active ? progressText(active.runner.progress) : outcomeText(batch.state)}`,
      batch,
    };
  });
  const chosen = await pick(items, { title: l10n.t('Manage Batches'), placeholder: l10n.t('Batch') });
  if (chosen) await actOn(services, chosen.batch);
}

async function actOn(services: Services, batch: ListedBatch): Promise<void> {
  const actions = actionsOf(services, batch, services.batches.runs.find(batch.id));
  const chosen = await pick(actions, {
    title: shown`Batch ${nameOf(batch.state.header)}`,
    placeholder: l10n.t('Action'),
  });
  await chosen?.act();
}

interface Action {
  readonly label: string;
  readonly description?: string;
  readonly act: () => Promise<void> | void;
}

function actionsOf(services: Services, batch: ListedBatch, active: ActiveBatch | undefined): Action[] {
  const { state, folder } = batch;
  const [failed, uncertain] = [state.rowsIn('failed'), state.rowsIn('uncertain')];
  const results = [{ label: l10n.t('Open Results'), act: () => showResults(services, folder) }];
  const openFolder = {
    label: l10n.t('Open Folder'),
    act: async () => {
      await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(folder));
    },
  };
  if (active) {
    const { runner } = active;
    const toggle = runner.progress.isPaused
      ? { label: l10n.t('Resume'), act: () => runner.resume() }
      : { label: l10n.t('Pause'), act: () => runner.pause() };
    const cancel = { label: l10n.t('Cancel'), act: () => services.batches.runs.cancel(active) };
    const retry = { label: l10n.t('Try Again Now'), act: () => runner.resume() };
    return [...(runner.progress.obstacle ? [retry] : []), toggle, cancel, ...results, openFolder];
  }
  if (batch.isRunning) return [...results, openFolder];
  const remove = { label: l10n.t('Delete'), act: () => removeBatch(batch) };
  return [
    ...(state.left > 0 ? [{ label: l10n.t('Resume'), act: () => resumeBatch(services, batch) }] : []),
    ...results,
    ...(failed.length > 0
      ? [
          {
            label: l10n.t('Retry Failed Rows'),
            description: counted(failed.length, 'row'),
            act: () => sendAgain(services, batch, failed),
          },
        ]
      : []),
    ...(uncertain.length > 0
      ? [
          {
            label: l10n.t('Send Uncertain Rows Again'),
            description: counted(uncertain.length, 'row'),
            act: () => sendUncertain(services, batch),
          },
        ]
      : []),
    openFolder,
    remove,
  ];
}

/** Saves the results that exist so far, and opens them. */
export async function showResults({ batches }: Services, folder: string): Promise<void> {
  const file = await saveResults(batches.tasks, folder);
  if (file !== undefined) await openResults(file);
}

/** Continues a batch in the background. @throws NotConnectedError if its connection is not the current one */
export function resumeBatch(services: Services, { folder, state }: Pick<ListedBatch, 'folder' | 'state'>): void {
  requireConnectionOf(services.connections, state.header.connectionId);
  runInBackground(services, services.batches.runs.run(folder));
}

/** Sends rows once more, as new jobs. */
export async function sendAgain(
  services: Services,
  { folder, state: { header } }: Pick<ListedBatch, 'folder' | 'state'>,
  rows: readonly number[],
): Promise<void> {
  const { profile } = requireConnectionOf(services.connections, header.connectionId);
  const requests = { endpointName: header.endpointName, count: rows.length, price: header.pricePerHour };
  if (await mayRunOn(services.context.workspaceState, profile, requests))
    runInBackground(services, services.batches.runs.run(folder, rows));
}

/** Asks before rows are sent again whose requests the platform may have accepted. */
export async function sendUncertain(services: Services, batch: Pick<ListedBatch, 'folder' | 'state'>): Promise<void> {
  const rows = batch.state.rowsIn('uncertain');
  const question = shown`Send ${counted(rows.length, 'row')} again?`;
  const detail = shown`The platform may already have accepted these rows. They then run twice.`;
  if (await confirmed(question, detail, l10n.t('Send Again'))) await sendAgain(services, batch, rows);
}

async function removeBatch(batch: ListedBatch): Promise<void> {
  const { header, left } = batch.state;
  const detail =
    left > 0 ? shown`${counted(left, 'row')} are left. Written results stay.` : shown`Written results stay.`;
  if (!(await confirmed(shown`Delete the batch ${nameOf(header)}?`, detail, l10n.t('Delete')))) return;
  await deleteBatch(batch);
  void showMessage('information', shown`The batch ${nameOf(header)} is deleted.`);
}
