import os from 'node:os';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';

/**
 * Saves an export to a file that the user chooses. Resolves with whether the user chose one.
 *
 * @param name proposed name of the file, with its extension
 */
export async function saveExport(name: string, content: Uint8Array | string): Promise<boolean> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(os.homedir());
  const target = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, name),
    title: l10n.t('Export Billing'),
  });
  if (!target) return false;
  await vscode.workspace.fs.writeFile(target, typeof content === 'string' ? Buffer.from(content) : content);
  void showMessage('information', shown`Exported to ${target.path.split('/').at(-1) ?? name}.`);
  return true;
}
