import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import { dropEdit, pasteEdit } from '../../../kit/dropEdits.ts';
import { showMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { isJobFile, jobFileSelector } from '../jobFiles.ts';
import { FILE_TYPES, fileAt, filesIn, type DroppedFile } from './droppedFiles.ts';

/** Registers the insertion of files as data URLs into job files: by drop, by paste, and by command. */
export function registerInsertFile({ log }: Pick<AccountServices, 'log'>): vscode.Disposable {
  const kind = vscode.DocumentDropOrPasteEditKind.Empty.append('cloudCompute', 'dataUrl');
  const { languages } = vscode;
  return vscode.Disposable.from(
    languages.registerDocumentDropEditProvider(
      jobFileSelector,
      {
        provideDocumentDropEdits: async (document, position, transfer, token) => {
          const found = await insertion(document, new vscode.Range(position, position), transfer, token);
          return found && dropEdit(found.label, kind, found.text);
        },
      },
      { dropMimeTypes: FILE_TYPES, providedDropEditKinds: [kind] },
    ),
    languages.registerDocumentPasteEditProvider(
      jobFileSelector,
      {
        provideDocumentPasteEdits: async (document, [range], transfer, _, token) => {
          const found = range && (await insertion(document, range, transfer, token));
          return found && [pasteEdit(found.label, kind, found.text)];
        },
      },
      { pasteMimeTypes: FILE_TYPES, providedPasteEditKinds: [kind] },
    ),
    registerCommand(log, 'cloudCompute.jobs.insertFile', l10n.t('Could not insert the file'), insertChosenFile),
  );
}

interface Insertion {
  readonly text: string;
  readonly label: string;
}

/** Returns the insertion of dropped or pasted files. Shows a message if they are too large or unreadable. */
async function insertion(
  document: vscode.TextDocument,
  range: vscode.Range,
  transfer: vscode.DataTransfer,
  token: vscode.CancellationToken,
): Promise<Insertion | undefined> {
  const files = await filesIn(transfer);
  if (files.length === 0 || token.isCancellationRequested) return undefined;
  const { dataUrlText } = await import('./dataUrlText.ts');
  const found = await dataUrlText(document, range, files);
  if (found.problem === undefined) return found;
  if (found.code !== 'noPlace') void showMessage('warning', shown`${found.problem}.`);
  return undefined;
}

async function insertChosenFile(): Promise<void> {
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
  const { dataUrlText } = await import('./dataUrlText.ts');
  const { document, selection } = editor;
  const found = await dataUrlText(document, selection, files);
  if (found.problem !== undefined) throw new UserError(found.problem);
  await editor.edit((edit) => edit.replace(selection, found.text));
}
