import * as vscode from 'vscode';
import { safe, type Showable } from '../text/shownText.ts';

/**
 * Shows a document as formatted Markdown, or as text if the editor has no preview. The document contains only Markdown from `formatted` and
 * similar functions, which escape foreign text.
 */
export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  try {
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  } catch {
    await vscode.window.showTextDocument(document, { preview: true });
  }
}

/** Opens a diff editor with a title. */
export async function showDifference(before: vscode.Uri, after: vscode.Uri, title: Showable): Promise<void> {
  await vscode.commands.executeCommand('vscode.diff', before, after, safe(title), { preview: true });
}

/** Closes the diff editors of two documents. */
export async function closeDifference(before: vscode.Uri, after: vscode.Uri): Promise<void> {
  const isDifference = ({ input }: vscode.Tab) =>
    input instanceof vscode.TabInputTextDiff &&
    input.modified.toString() === after.toString() &&
    input.original.toString() === before.toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isDifference);
  await vscode.window.tabGroups.close(tabs, true);
}
