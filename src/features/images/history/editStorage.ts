import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { EditStorage } from '../model/editHistory.ts';
import { EditFiles } from './actions/editFiles.ts';
import { EditHistoryStore, historyFolder } from './editHistoryStore.ts';
import { createSaveEdit } from './saveEdit.ts';

/** Storage of edits, which all image editors share. */
export interface StoredEdits extends EditStorage {
  readonly history: EditHistoryStore;
  dispose(): void;
}

/** Creates the storage of the edits of this workspace. It is read now, and again when the window receives the focus. */
export function createEditStorage({
  context,
  clock,
  log,
}: Pick<AccountServices, 'context' | 'log' | 'clock'>): StoredEdits {
  const history = new EditHistoryStore(new EditFiles(historyFolder(context)), { clock, log });
  const save = createSaveEdit(log);
  const refresh = (): void => {
    history.refresh().catch((error: unknown) => log.warn('Could not read the edits of images', error));
  };
  refresh();
  const focus = vscode.window.onDidChangeWindowState(({ focused }) => {
    if (focused) refresh();
  });
  return {
    history,
    save,
    dispose: () => {
      focus.dispose();
      history.dispose();
    },
  };
}
