import os from 'node:os';
import * as vscode from 'vscode';
import type { EditHistory, EditStorage } from './model/editHistory.ts';

const NO_HISTORY: EditHistory = {
  items: [],
  onDidChange: () => ({ dispose: () => undefined }),
  open: () => Promise.resolve(),
  remove: () => Promise.resolve(),
};

/** Storage that keeps no edits, and asks for the file of each image to save. */
export const DIALOG_STORAGE: EditStorage = {
  history: NO_HISTORY,
  keep: () => Promise.resolve(undefined),
  save: async (edit, image) => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(os.homedir());
    const target = await vscode.window.showSaveDialog({
      title: 'Save Edited Image',
      defaultUri: vscode.Uri.joinPath(folder, `edited.${edit.parameters.format}`),
    });
    if (!target) return undefined;
    await vscode.workspace.fs.writeFile(target, image.bytes);
    return target.toString();
  },
};
