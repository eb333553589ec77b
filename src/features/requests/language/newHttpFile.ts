import * as vscode from 'vscode';
import { fileExists } from '../../../kit/fileExists.ts';
import { HTTP_LANGUAGE } from './httpFiles.ts';

const MAX_STEM = 60;

/** Opens a new unsaved HTTP file with this text. @param title for its name, such as the name of an endpoint */
export async function openNewHttpFile(title: string, text: string): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(await freeAddress(title));
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(0, 0), text);
  await vscode.workspace.applyEdit(edit);
  if (document.languageId !== HTTP_LANGUAGE) await vscode.languages.setTextDocumentLanguage(document, HTTP_LANGUAGE);
  return editor;
}

/** Returns the address of an unsaved file in the workspace. The name has a number if it is taken. */
async function freeAddress(title: string): Promise<vscode.Uri> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const stem =
    title
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
      .replaceAll(/^[.-]+|[.-]+$/g, '')
      .slice(0, MAX_STEM) || 'requests';
  const isOpen = (uri: vscode.Uri) =>
    vscode.workspace.textDocuments.some((one) => !one.isClosed && one.uri.path === uri.path);
  for (let number = 1; ; number++) {
    const file = `${stem}${number === 1 ? '' : `-${number}`}.http`;
    const saved = folder && vscode.Uri.joinPath(folder, file);
    const unsaved = saved?.with({ scheme: 'untitled' }) ?? vscode.Uri.from({ scheme: 'untitled', path: file });
    if (!isOpen(unsaved) && !(saved && (await fileExists(saved)))) return unsaved;
  }
}
