import { existsSync } from 'node:fs';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { confirmed, showMessage } from '../../../kit/messages.ts';
import { pick, type ShownItem } from '../../../kit/quickInput.ts';
import { joined, shown, type ShownText } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnectionOf } from '../../../account/connections/requireConnection.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import { ago } from '../../../account/jobWords.ts';
import { deleteBatch, listBatches, type ListedBatch, type UnreadableBatch } from './actions/listBatches.ts';
import { openResults, saveResults } from './batchResults.ts';
import { resultsFile } from './batchFiles.ts';
import { runInBackground, runsElsewhere, type ActiveBatch, type BatchServices } from './batchRuns.ts';
import {
  whole,
  damageText,
  nameOf,
  outcomeText,
  problemDetail,
  progressText,
  stateText,
  unreadableState,
} from './batchWords.ts';

/** Lists the batches, and offers the actions of the chosen one. */
export async function manageBatches(services: BatchServices): Promise<void> {
  const { batches, unreadable } = await listBatches(services.batches.root, services.clock.now());
  if (batches.length + unreadable.length === 0)
    throw new UserError(l10n.t('there are no batches yet'), {
      label: l10n.t('Run Batch…'),
      command: 'cloudCompute.batch.run',
    });
  const items = [
    ...batches.map((batch) => itemOf(services, batch)),
    ...unreadable.map((batch) => unreadableItem(services, batch)),
  ];
  const chosen = await pick(items, { title: l10n.t('Manage Batches'), placeholder: l10n.t('Batch') });
  if (!chosen) return;
  const action = await pick(chosen.actions(), {
    title: shown`Batch ${chosen.name}`,
    placeholder: l10n.t('Action'),
  });
  await action?.act();
}

interface BatchItem extends ShownItem {
  readonly name: ShownText;
  readonly actions: () => Action[];
}

const WARNING = new vscode.ThemeIcon('warning');

function itemOf(services: BatchServices, batch: ListedBatch): BatchItem {
  const { header } = batch.state;
  const active = services.batches.runs.find(batch.id);
  const connection = services.connections.find(header.connectionId)?.name ?? l10n.t('a removed connection');
  const name = nameOf(header);
  const damage = damageText(batch.state);
  const outcome = active ? progressText(active.runner.progress) : outcomeText(batch.state);
  return {
    name,
    label: name,
    description: joined(
      [
        stateText(batch, active?.runner.progress.isPaused === true),
        ...(damage ? [l10n.t('Damaged')] : []),
        ago(services.clock.now() - header.createdAt),
      ],
      ' · ',
    ),
    detail: joined([shown`${header.endpointName} on ${connection}: ${outcome}`, ...(damage ? [damage] : [])], '. '),
    ...(damage && { icon: WARNING }),
    actions: () => actionsOf(services, batch, active),
  };
}

/** A batch that cannot run. Its stored results can be opened. */
function unreadableItem(services: BatchServices, batch: UnreadableBatch): BatchItem {
  const { header, id, folder, changedAt } = batch;
  const name = header ? nameOf(header) : shown`“${id}”`;
  return {
    name,
    label: name,
    description: joined([unreadableState(batch), ago(services.clock.now() - changedAt)], ' · '),
    detail: problemDetail(batch),
    icon: WARNING,
    actions: () => [
      { label: l10n.t('Open Stored Results'), act: () => openStoredResults(folder) },
      openFolderOf(folder),
      ...(batch.problem === 'damaged' && !batch.isRunning
        ? [{ label: l10n.t('Delete'), act: () => removeBatch(name, batch) }]
        : []),
    ],
  };
}

/** Opens the results as they were received, because their rows are not known. */
async function openStoredResults(folder: string): Promise<void> {
  const file = resultsFile(folder);
  if (!existsSync(file)) throw new UserError(l10n.t('the batch has no results yet'));
  await openResults(file);
}

interface Action {
  readonly label: string;
  readonly description?: string;
  readonly act: () => Promise<void> | void;
}

function openFolderOf(folder: string): Action {
  return {
    label: l10n.t('Open Folder'),
    act: async () => {
      await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(folder));
    },
  };
}

function actionsOf(services: BatchServices, batch: ListedBatch, active: ActiveBatch | undefined): Action[] {
  const { state, folder } = batch;
  const [failed, uncertain] = [state.rowsIn('failed'), state.rowsIn('uncertain')];
  const results = [{ label: l10n.t('Open Results'), act: () => showResults(folder) }];
  const openFolder = openFolderOf(folder);
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
  const remove = { label: l10n.t('Delete'), act: () => removeBatch(nameOf(state.header), batch, state.left) };
  return [
    ...(state.left > 0 ? [{ label: l10n.t('Resume'), act: () => resumeBatch(services, batch) }] : []),
    ...results,
    ...(failed.length > 0
      ? [
          {
            label: l10n.t('Retry Failed Rows'),
            description: failed.length === 1 ? l10n.t('1 row') : l10n.t`${whole.format(failed.length)} rows`,
            act: () => sendAgain(services, batch, failed),
          },
        ]
      : []),
    ...(uncertain.length > 0
      ? [
          {
            label: l10n.t('Send Uncertain Rows Again'),
            description: uncertain.length === 1 ? l10n.t('1 row') : l10n.t`${whole.format(uncertain.length)} rows`,
            act: () => sendUncertain(services, batch),
          },
        ]
      : []),
    openFolder,
    remove,
  ];
}

/** Saves the results that exist so far, and opens them. */
export async function showResults(folder: string): Promise<void> {
  const file = await saveResults(folder);
  if (file !== undefined) await openResults(file);
}

/** Continues a batch in the background. @throws NotConnectedError if its connection is not the current one */
export function resumeBatch(services: BatchServices, { folder, state }: Pick<ListedBatch, 'folder' | 'state'>): void {
  requireConnectionOf(services.connections, state.header.connectionId);
  runInBackground(services, services.batches.runs.run(folder));
}

/** Sends rows once more, as new jobs. */
export async function sendAgain(
  services: BatchServices,
  { folder, state: { header } }: Pick<ListedBatch, 'folder' | 'state'>,
  rows: readonly number[],
): Promise<void> {
  const { profile } = requireConnectionOf(services.connections, header.connectionId);
  const requests = { endpointName: header.endpointName, count: rows.length, price: header.pricePerHour };
  if (await mayRunOn(services.context.workspaceState, profile, requests))
    runInBackground(services, services.batches.runs.run(folder, rows));
}

/** Asks before rows are sent again whose requests the platform may have accepted. */
export async function sendUncertain(
  services: BatchServices,
  batch: Pick<ListedBatch, 'folder' | 'state'>,
): Promise<void> {
  const rows = batch.state.rowsIn('uncertain');
  const question = rows.length === 1 ? shown`Send 1 row again?` : shown`Send ${whole.format(rows.length)} rows again?`;
  const detail = shown`The platform may have accepted these rows, so they may run twice.`;
  if (await confirmed(question, detail, l10n.t('Send Again'))) await sendAgain(services, batch, rows);
}

async function removeBatch(name: ShownText, batch: Pick<ListedBatch, 'folder'>, left = 0): Promise<void> {
  const detail =
    left > 0
      ? left === 1
        ? shown`1 row is left. Written results stay.`
        : shown`${whole.format(left)} rows are left. Written results stay.`
      : shown`Written results stay.`;
  if (!(await confirmed(shown`Delete the batch ${name}?`, detail, l10n.t('Delete')))) return;
  if (!(await deleteBatch(batch))) throw runsElsewhere();
  void showMessage('information', shown`The batch ${name} is deleted.`);
}
