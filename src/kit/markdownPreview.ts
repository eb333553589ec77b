import * as vscode from 'vscode';

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
