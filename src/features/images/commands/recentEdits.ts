import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showError } from '../../../vscode/errors.ts';
import { confirmed } from '../../../vscode/messages.ts';
import { createPick, rowOf, type ShownItem } from '../../../vscode/quickInput.ts';
import { count } from '../../../vscode/text/quantities.ts';
import { joined, shown } from '../../../vscode/text/shownText.ts';
import { UserError } from '../../../vscode/userError.ts';
import { ago } from '../../jobs/jobWords.ts';
import type { Services } from '../../services.ts';
import type { StoredEdits } from '../history/editStorage.ts';
import type { ImageEditors } from '../imageEditors.ts';
import type { EditHistoryItem, StoredEdit } from '../model/editHistory.ts';

const button = (icon: string, tooltip: string): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon(icon),
  tooltip,
});
const OPEN = button('go-to-file', l10n.t('Open Image'));
const SAVE = button('save', l10n.t('Save to Workspace'));
const AGAIN = button('edit', l10n.t('Edit Again: Use This Image as the Source'));
const DELETE = button('trash', l10n.t('Delete from History'));
const CLEAR = button('clear-all', l10n.t('Delete All'));

interface EditItem extends ShownItem {
  readonly edit: EditHistoryItem;
}

interface Shared {
  readonly editors: ImageEditors;
  readonly storage: StoredEdits;
}

/** Lists the kept edits, with their images. The chosen one opens in the image editor. */
export async function showRecentEdits({ log, clock }: Services, { editors, storage }: Shared): Promise<void> {
  const { history } = storage;
  await history.refresh();
  if (history.items.length === 0)
    throw new UserError(l10n.t('no image has been edited in this workspace yet'), {
      label: l10n.t('Edit Image…'),
      command: 'cloudCompute.images.edit',
    });
  const list = createPick<EditItem>({
    title: l10n.t('Recent Image Edits'),
    placeholder: l10n.t('Edit to show with its source'),
  });
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.keepScrollPosition = true;
  list.buttons = [CLEAR];
  const show = (): void => {
    list.items = history.items.map((edit) => rowOf(itemOf(edit, clock.now())));
  };
  show();
  const attempt = (work: () => Promise<unknown>): void => {
    work().catch((error: unknown) => showError(log, error, l10n.t('Could not use the edit')));
  };
  const leave = (work: () => Promise<unknown>): void => {
    list.hide();
    attempt(work);
  };
  const subscriptions = [
    history.onDidChange(() => {
      if (history.items.length === 0) list.hide();
      else show();
    }),
    list.onDidAccept(() => {
      const [row] = list.selectedItems;
      if (row) leave(async () => editors.open({ stored: await load(storage, row.item.edit) }));
    }),
    list.onDidTriggerItemButton(({ button: pressed, item: { item } }) => {
      const { edit } = item;
      if (pressed === DELETE) attempt(() => history.remove(edit.id));
      if (pressed === OPEN) leave(() => history.open(edit.id));
      if (pressed === SAVE) leave(() => saveStored(storage, edit));
      if (pressed === AGAIN) leave(() => editAgain(editors, storage, edit));
    }),
    list.onDidTriggerButton(() => leave(() => clear(storage))),
  ];
  list.onDidHide(() => {
    for (const subscription of subscriptions) subscription.dispose();
    list.dispose();
  });
  list.show();
}

function itemOf(edit: EditHistoryItem, now: number): EditItem {
  const { parameters, sourceName, time, width, height, cost, connectionName, resultPath } = edit;
  const facts = [
    sourceName,
    `${width} × ${height}`,
    ...(parameters.seed === undefined ? [] : [l10n.t`seed ${parameters.seed}`]),
    ...(cost === undefined ? [] : [dollars.format(cost)]),
    connectionName,
  ];
  return {
    label: shown`${parameters.prompt}`,
    description: ago(now - time),
    detail: joined(facts, ' · '),
    icon: vscode.Uri.file(resultPath),
    buttons: [OPEN, SAVE, AGAIN, DELETE],
    edit,
  };
}

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

async function load({ history }: StoredEdits, { id }: EditHistoryItem): Promise<StoredEdit> {
  const loaded = await history.load(id);
  if (!loaded) throw new UserError(l10n.t('the edit is no longer in the history'));
  return loaded;
}

async function saveStored(storage: StoredEdits, item: EditHistoryItem): Promise<void> {
  const { edit, image, source } = await load(storage, item);
  await storage.save(edit, image, source ?? { kind: 'url', url: item.sourceName });
}

/** Opens an editor with the result as the source. Its bytes work even after its address has expired. */
async function editAgain(editors: ImageEditors, storage: StoredEdits, item: EditHistoryItem): Promise<void> {
  const { edit, image } = await load(storage, item);
  const source = { kind: 'file', name: item.sourceName, bytes: image.bytes, mediaType: image.mediaType } as const;
  await editors.open({ source, parameters: edit.parameters });
}

async function clear({ history }: StoredEdits): Promise<void> {
  const number = history.items.length;
  const detail = l10n.t('Their images are deleted from the storage of the extension. Saved files stay.');
  if (await confirmed(shown`Delete ${count(number, 'edit')} from the history?`, detail, l10n.t('Delete All')))
    await history.removeAll();
}
