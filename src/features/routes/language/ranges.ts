import * as vscode from 'vscode';
import type { TextChange } from '../../manifest/model/edit.ts';
import type { Span } from '../model/httpFile.ts';

/* Conversion of offsets to the editor's types. */

export function rangeIn(document: vscode.TextDocument, { start, end }: Span): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}

export function editOf(document: vscode.TextDocument, changes: readonly TextChange[]): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const change of changes) edit.replace(document.uri, rangeIn(document, change), change.text);
  return edit;
}
