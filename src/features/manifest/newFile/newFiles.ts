import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { askItem, BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import { fileExists } from '../../../kit/files.ts';
import { UserError } from '../../../kit/userError.ts';
import type { NewFile } from '../model/worker/workerFiles.ts';

/** Place of new files. */
export interface Target {
  /** Undefined if no folder is open. */
  readonly folder: vscode.Uri | undefined;
}

/**
 * Returns the place of new files: the folder from the Explorer, or the workspace folder. Asks which one if the workspace has several.
 * Resolves with undefined if the user dismissed the question.
 */
export async function chooseTarget(title: string, argument: unknown): Promise<Target | undefined> {
  if (argument instanceof vscode.Uri) return { folder: await folderOf(argument) };
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length < 2) return { folder: folders[0]?.uri };
  const items = folders.map(({ name, uri }) => ({ label: shown`$(folder) ${name}`, description: uri.path, uri }));
  const choice = await askItem({ place: { title }, placeholder: l10n.t('Folder for the new file'), items });
  return choice === undefined || choice === BACK ? undefined : { folder: choice.item.uri };
}

/** Returns the folder itself, or the folder of a file. */
async function folderOf(uri: vscode.Uri): Promise<vscode.Uri> {
  const { type } = await vscode.workspace.fs.stat(uri);
  return type & vscode.FileType.Directory ? uri : uri.with({ path: path.posix.dirname(uri.path) });
}

/** Writes new files as one change that Undo reverts. Never replaces a file. @throws UserError if one exists, or cannot be written */
export async function writeNewFiles(folder: vscode.Uri, files: readonly NewFile[]): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  for (const { path, text } of files) {
    const uri = vscode.Uri.joinPath(folder, path);
    // The editor would write the files before this one.
    if (await fileExists(uri)) throw new UserError(shown`${path} already exists`);
    edit.createFile(uri, { overwrite: false, contents: new TextEncoder().encode(text) });
  }
  const [first] = files;
  if (!(await vscode.workspace.applyEdit(edit)))
    throw new UserError(shown`${first?.path ?? ''} could not be written; check that the folder is writable`);
}
