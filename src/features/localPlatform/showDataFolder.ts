import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { UserError } from '../../vscode/errors.ts';
import { showMessage } from '../../vscode/messages.ts';
import { shown } from '../../vscode/text/shownText.ts';

/** Shows where the platform keeps everything: in the system's file manager or, where that is on another machine, as a path. */
export async function showDataFolder(directory: string): Promise<void> {
  if (!existsSync(directory)) {
    throw new UserError(shown`${directory} is created when the local platform first starts`, {
      label: 'Start Local Platform',
      command: 'cloudCompute.localPlatform.start',
    });
  }
  const elsewhere = vscode.env.uiKind === vscode.UIKind.Web || vscode.env.remoteName !== undefined;
  if (!elsewhere) {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(directory));
    return;
  }
  const open = 'Open in New Window';
  const copy = 'Copy Path';
  // Not awaited: a command is done when it has said what it has to say.
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
