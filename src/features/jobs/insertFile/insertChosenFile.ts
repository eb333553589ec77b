import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../../../kit/userError.ts';
import { isJobFile } from '../jobShells.ts';
import { dataUrlText } from './dataUrlText.ts';
import { fileAt, type DroppedFile } from './droppedFiles.ts';

/** Inserts files that the user chooses into the active job file, as data URLs. */
export async function insertChosenFile(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isJobFile(editor.document.uri))
    throw new UserError(l10n.t('no job file is open in the active editor'));
  const chosen = await vscode.window.showOpenDialog({
    canSelectMany: true,
    openLabel: l10n.t('Insert'),
    title: l10n.t('Insert File as Data URL'),
  });
  if (chosen && chosen.length > 0) await insertFiles(editor, chosen.map(fileAt));
}

async function insertFiles(editor: vscode.TextEditor, files: readonly DroppedFile[]): Promise<void> {
  const { document, selection } = editor;
  const found = await dataUrlText(document, selection, files);
  if (found.problem !== undefined) throw new UserError(found.problem);
  await editor.edit((edit) => edit.replace(selection, found.text));
}
