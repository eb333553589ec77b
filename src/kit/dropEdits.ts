import * as vscode from 'vscode';
import { safe, type Showable } from '../text/shownText.ts';

/* Edits for dropped and pasted content. Their titles are shown in a list. */

/** Creates an edit for a drop. The text is inserted as it is. */
export function dropEdit(
  title: Showable,
  kind: vscode.DocumentDropOrPasteEditKind,
  insertText: string,
): vscode.DocumentDropEdit {
  return new vscode.DocumentDropEdit(insertText, safe(title), kind);
}

/** Creates an edit for a paste. The text replaces the selection as it is. */
export function pasteEdit(
  title: Showable,
  kind: vscode.DocumentDropOrPasteEditKind,
  insertText: string,
): vscode.DocumentPasteEdit {
  return new vscode.DocumentPasteEdit(insertText, safe(title), kind);
}
