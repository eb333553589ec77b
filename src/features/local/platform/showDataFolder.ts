import { existsSync } from 'node:fs';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../../../kit/userError.ts';
import { showMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';

/** Shows the data directory in the system's file manager. On a remote machine, shows its path. */
export async function showDataFolder(directory: string): Promise<void> {
  if (!existsSync(directory)) {
    throw new UserError(shown`${directory} does not exist until the local platform starts`, {
      label: l10n.t('Start Local Platform'),
      command: 'cloudCompute.localPlatform.start',
    });
  }
  const elsewhere = vscode.env.uiKind === vscode.UIKind.Web || vscode.env.remoteName !== undefined;
  if (!elsewhere) {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(directory));
    return;
  }
  const open = l10n.t('Open in New Window');
  const copy = l10n.t('Copy Path');
  // Not awaited, because the command is complete once the message is visible.
  void showMessage('information', shown`The local platform keeps its data in ${directory}`, copy, open).then(
    async (chosen) => {
      if (chosen === copy) await vscode.env.clipboard.writeText(directory);
      if (chosen === open) {
        const newWindow = { forceNewWindow: true };
        await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(directory), newWindow);
      }
    },
  );
}
