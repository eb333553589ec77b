import * as vscode from 'vscode';
import { bodyTypeOf } from './bodyKind.ts';
import { RESPONSE_SCHEME } from '../requestShells.ts';
import { responseUri, type Titled } from './responseDocuments.ts';
import type { ShownResponse } from './responseText.ts';

/** Shows a response, or the messages of a WebSocket, in the group that already shows responses, or else beside the active editor. */
export async function showResponse(
  connectionId: string,
  request: Titled,
  content: 'response' | 'log',
  atEnd: boolean,
): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(responseUri(connectionId, request, content));
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: responseColumn(),
    preview: true,
    preserveFocus: true,
  });
  if (atEnd) {
    const end = document.lineAt(document.lineCount - 1).range.end;
    editor.selection = new vscode.Selection(end, end);
  }
  return editor;
}

/** Shows the image of a response beside the editor with its document. Does nothing for other bodies. */
export async function showImage(
  connectionId: string,
  request: Titled,
  { head, body }: Pick<ShownResponse, 'head' | 'body'>,
  editor: vscode.TextEditor | undefined,
): Promise<void> {
  if (!head || !body) return;
  const { kind, suffix } = bodyTypeOf(head.headers, body);
  if (kind !== 'image') return;
  const uri = responseUri(connectionId, request, 'body', suffix);
  const viewColumn = (editor?.viewColumn ?? vscode.ViewColumn.One) + 1;
  await vscode.commands.executeCommand('vscode.open', uri, { viewColumn, preview: true, preserveFocus: true });
}

function responseColumn(): vscode.ViewColumn {
  const group = vscode.window.tabGroups.all.find(({ activeTab }) => {
    const input = activeTab?.input;
    return input instanceof vscode.TabInputText && input.uri.scheme === RESPONSE_SCHEME;
  });
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}
