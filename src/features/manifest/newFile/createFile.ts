import * as vscode from 'vscode';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { fileName, languageOf } from '../manifestFiles.ts';
import { manifestText, nameSpan, type Section } from '../model/starters/section.ts';

/** Writes a new file, or opens an untitled one without a folder, and selects the name of its endpoint. @throws UserError */
export async function createFile(
  folder: vscode.Uri | undefined,
  name: string,
  sections: readonly Section[],
): Promise<void> {
  const uri = folder ? vscode.Uri.joinPath(folder, name) : vscode.Uri.from({ scheme: 'untitled', path: name });
  const language = languageOf(uri);
  const text = manifestText(sections, language);
  const document = folder ? await written(uri, text) : await untitled(uri, text);
  const { start, end } = nameSpan(text, language);
  const selection = new vscode.Range(document.positionAt(start), document.positionAt(end));
  await vscode.window.showTextDocument(document, { selection, preview: false });
}

/** Never replaces a file. */
async function written(uri: vscode.Uri, text: string): Promise<vscode.TextDocument> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { overwrite: false, contents: new TextEncoder().encode(text) });
  if (!(await vscode.workspace.applyEdit(edit)))
    throw new UserError(shown`${fileName(uri)} could not be written; check that the folder is writable`);
  return vscode.workspace.openTextDocument(uri);
}

/** Opens an unsaved file with this text, without showing it. */
async function untitled(uri: vscode.Uri, text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), text);
  await vscode.workspace.applyEdit(edit);
  return document;
}
