import * as vscode from 'vscode';
import type { ExchangeStore } from '../send/exchangeStore.ts';
import { RESPONSE_SCHEME } from '../requestShells.ts';
import { responseAddresses } from './responseAddress.ts';

const { Keyboard, Mouse } = vscode.TextEditorSelectionChangeKind;

/** Keeps the end of a response in view while it arrives, in editors whose cursor is on the last line. */
export function followEnd(exchanges: ExchangeStore): vscode.Disposable {
  const following = new Set<string>();
  const isResponse = ({ uri }: vscode.TextDocument) => uri.scheme === RESPONSE_SCHEME;
  const isAtEnd = ({ document, selection }: vscode.TextEditor) =>
    selection.isEmpty && document.lineCount > 3 && selection.active.line >= document.lineCount - 1;
  const isActive = ({ uri }: vscode.TextDocument) => {
    const address = responseAddresses.parse(uri);
    return address && exchanges.find(address.connectionId, address.requestId)?.isActive === true;
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      const { document } = textEditor;
      if (!isResponse(document)) return;
      if (isAtEnd(textEditor)) following.add(document.uri.toString());
      // Other changes come from the growing document, and from this code.
      else if (kind === Keyboard || kind === Mouse) following.delete(document.uri.toString());
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!isResponse(document) || !isActive(document)) return;
      if (!following.has(document.uri.toString())) return;
      for (const editor of vscode.window.visibleTextEditors) if (editor.document === document) revealEnd(editor);
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => void following.delete(uri.toString())),
  );
}

function revealEnd(editor: vscode.TextEditor): void {
  const { range } = editor.document.lineAt(editor.document.lineCount - 1);
  editor.selection = new vscode.Selection(range.end, range.end);
  editor.revealRange(new vscode.Range(range.end, range.end));
}
