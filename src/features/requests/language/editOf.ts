import * as vscode from 'vscode';
import { rangeOf } from '../../../kit/problems.ts';
import type { TextChange } from '../../../text/span.ts';

/** Returns the edit that makes the changes in a document. */
export function editOf(document: vscode.TextDocument, changes: readonly TextChange[]): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const change of changes) edit.replace(document.uri, rangeOf(document, change), change.text);
  return edit;
}
