import * as vscode from 'vscode';
import { dropEdit, pasteEdit } from '../../../kit/dropEdits.ts';
import { showMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';
import { jobFileSelector } from '../jobFiles.ts';
import { FILE_TYPES, filesIn } from './droppedFiles.ts';

/** Registers the insertion of files as data URLs into job files by drop and by paste. */
export function registerInsertFile(): vscode.Disposable {
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
