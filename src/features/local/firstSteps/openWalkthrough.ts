import * as vscode from 'vscode';

/** ID in package.json. */
const WALKTHROUGH = 'getStarted';

/** Opens the walkthrough beside the endpoints view. */
export async function openWalkthrough(extensionId: string): Promise<void> {
  await vscode.commands.executeCommand('cloudCompute.endpoints.focus', { preserveFocus: true });
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extensionId}#${WALKTHROUGH}`, false);
}
