import * as vscode from 'vscode';
import { fileExists } from '../../../kit/files.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown } from '../../../text/shownText.ts';
import type { NewFile } from '../model/worker/workerFiles.ts';

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
