import * as vscode from 'vscode';
import type { Entry, FileTree } from './actions/readManifests.ts';

/** The file systems of the editor, with the texts of its editors. */
export const workspaceTree: FileTree<vscode.Uri> = {
  list: async (folder) =>
    (await vscode.workspace.fs.readDirectory(folder)).map(([name, type]) => ({
      name,
      place: vscode.Uri.joinPath(folder, name),
      kind: kindOf(type),
    })),
  size: async (file) => (await vscode.workspace.fs.stat(file)).size,
  read: async (file) => vscode.workspace.fs.readFile(file),
  unsaved: (file) =>
    vscode.workspace.textDocuments
      .find(({ uri, isDirty, isClosed }) => isDirty && !isClosed && uri.toString() === file.toString())
      ?.getText(),
};

function kindOf(type: vscode.FileType): Entry<vscode.Uri>['kind'] {
  if (type & vscode.FileType.Directory) return type & vscode.FileType.SymbolicLink ? 'linkToFolder' : 'folder';
  return type & vscode.FileType.File ? 'file' : 'other';
}
