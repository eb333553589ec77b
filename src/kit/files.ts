import * as vscode from 'vscode';
import os from 'node:os';
import { shown } from '../text/shownText.ts';
import { showStatusBarMessage } from './messages.ts';

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

/** Duration of the confirmation in the status bar, in ms. */
const SHOWN_MS = 10_000;

/**
 * Saves an export of a page to a file that the user chooses. Resolves with whether the user chose one.
 *
 * @param title title of the dialog
 * @param name proposed name of the file, with its extension
 */
export async function saveExport(title: string, name: string, content: Uint8Array | string): Promise<boolean> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(os.homedir());
  const target = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, name),
    title,
  });
  if (!target) return false;
  await vscode.workspace.fs.writeFile(target, typeof content === 'string' ? Buffer.from(content) : content);
  showStatusBarMessage(shown`Exported to ${target.path.split('/').at(-1) ?? name}.`, SHOWN_MS);
  return true;
}
