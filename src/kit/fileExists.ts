import * as vscode from 'vscode';

/** Resolves with whether a file or folder exists. Resolves with false if it cannot be read. */
export async function fileExists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
