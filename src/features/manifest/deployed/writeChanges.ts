import * as vscode from 'vscode';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { fileName } from '../manifestFiles.ts';
import type { TextChange } from '../../../text/span.ts';

/**
 * Writes changes of a text into its document, which is not saved, and shows the document.
 *
 * @throws UserError if the text has changed since it was read
 */
export async function writeChanges(
  document: vscode.TextDocument,
  text: string,
  changes: readonly TextChange[],
): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  for (const { start, end, text: inserted } of changes) {
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    edit.replace(document.uri, range, inserted);
  }
  if (document.getText() !== text || !(await vscode.workspace.applyEdit(edit)))
    throw new UserError(shown`${fileName(document.uri)} changed in the meantime; try again`);
  await vscode.window.showTextDocument(document);
}
