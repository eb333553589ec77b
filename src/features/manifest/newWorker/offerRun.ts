import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { showMessage } from '../../../kit/messages.ts';
import type { Showable } from '../../../text/shownText.ts';

const CREATE: CommandId = 'cloudCompute.manifest.createEndpoint';
const RUN: CommandId = 'cloudCompute.jobs.run';
const SEND: CommandId = 'cloudCompute.routes.send';

/** Files of a new endpoint. */
export interface NewEndpoint {
  readonly name: string;
  readonly manifest: vscode.Uri;
  /** A job file, or a file with requests. */
  readonly test: vscode.Uri;
  readonly message: Showable;
}

/** Reports new files, and offers to run them. Files outside of the workspace are offered as a workspace. */
export function offerRun({ endpoints, log }: Pick<AccountServices, 'endpoints' | 'log'>, created: NewEndpoint): void {
  const folder = vscode.Uri.joinPath(created.manifest, '..');
  const isInWorkspace = vscode.workspace.getWorkspaceFolder(folder) !== undefined;
  const run = async (): Promise<void> => {
    // The commands report their own failures.
    await vscode.commands.executeCommand(CREATE, created.manifest);
    if (!endpoints.endpoints.some(({ endpoint }) => endpoint.name === created.name)) return;
    const isJob = created.test.path.endsWith('.json');
    await (isJob
      ? vscode.commands.executeCommand(RUN, created.test)
      : vscode.commands.executeCommand(SEND, created.test, LAST_REQUEST));
  };
  const open = async (): Promise<void> => {
    const forceNewWindow = (vscode.workspace.workspaceFolders ?? []).length > 0;
    await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow });
  };
  const button = isInWorkspace ? l10n.t('Run') : l10n.t('Open Folder');
  // Not awaited, because the command is complete before the user answers the message.
  void showMessage('information', created.message, button)
    .then((chosen) => (chosen === undefined ? undefined : isInWorkspace ? run() : open()))
    .catch((error: unknown) => log.warn('Could not continue after new files', error));
}

/** Index of the request in a new file that is more than a health check. */
const LAST_REQUEST = 1;
