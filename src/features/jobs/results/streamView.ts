import * as vscode from 'vscode';
import { jobAddresses, type ConnectedJob } from './jobAddress.ts';
import { showJobDocument } from './showJobDocument.ts';
import { jobUri } from './jobDocuments.ts';

/** Opens the document of a stream beside the active editor, with the cursor at its end. */
export async function showStream(address: ConnectedJob): Promise<void> {
  await showJobDocument(address, 'stream');
  const uri = jobUri(address, 'stream').toString();
  for (const editor of vscode.window.visibleTextEditors) if (editor.document.uri.toString() === uri) moveToEnd(editor);
}

/** Keeps the view of a stream at its end while the cursor is there. */
export function followStreamEnds(): vscode.Disposable {
  const ends = new Map<string, vscode.Position>();
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!isStream(document)) return;
      const key = document.uri.toString();
      const [before, end] = [ends.get(key), endOf(document)];
      ends.set(key, end);
      for (const editor of vscode.window.visibleTextEditors) {
        const { active, isEmpty } = editor.selection;
        const wasAtEnd = isEmpty && (active.isEqual(end) || (before !== undefined && active.isEqual(before)));
        if (editor.document === document && wasAtEnd) moveToEnd(editor);
      }
    }),
    vscode.workspace.onDidOpenTextDocument((document) => {
      if (isStream(document)) ends.set(document.uri.toString(), endOf(document));
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => void ends.delete(uri.toString())),
  );
}

function moveToEnd(editor: vscode.TextEditor): void {
  const end = endOf(editor.document);
  editor.selection = new vscode.Selection(end, end);
  editor.revealRange(new vscode.Range(end, end));
}

function endOf(document: vscode.TextDocument): vscode.Position {
  return document.lineAt(document.lineCount - 1).range.end;
}

function isStream({ uri }: vscode.TextDocument): boolean {
  return jobAddresses.parse(uri)?.part === 'stream';
}
