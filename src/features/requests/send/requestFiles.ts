import * as vscode from 'vscode';
import type { RequestFiles } from '../actions/requestBody.ts';

/** Returns the files that a request can refer to. Paths are relative to its file, or to the first workspace folder for an unsaved one. */
export function requestFiles(file: vscode.Uri | undefined): RequestFiles {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const base = file && file.scheme !== 'untitled' ? vscode.Uri.joinPath(file, '..') : folder;
  const uriOf = (path: string): vscode.Uri => {
    if (base?.scheme === 'file' || !base) {
      const isAbsolute = /^(?:\/|[a-z]:[\\/])/i.test(path);
      if (isAbsolute || !base) return vscode.Uri.file(path);
    }
    return vscode.Uri.joinPath(base, path);
  };
  return {
    size: async (path) => (await vscode.workspace.fs.stat(uriOf(path))).size,
    read: async (path) => new Uint8Array(await vscode.workspace.fs.readFile(uriOf(path))),
  };
}

/** Returns the text of a request file, including unsaved changes. @throws Error if it cannot be read */
export async function textAt(uri: string): Promise<string> {
  return (await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true))).getText();
}
