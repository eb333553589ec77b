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

/** Resolves with the text of a file. Undefined if it does not exist, cannot be read, or has more than `maxBytes` bytes. */
export async function textOfFile(uri: vscode.Uri, maxBytes: number): Promise<string | undefined> {
  try {
    if ((await vscode.workspace.fs.stat(uri)).size > maxBytes) return undefined;
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}
