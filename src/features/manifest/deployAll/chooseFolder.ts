import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pick } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';

/**
 * Returns the folder that a command acts on: its argument, the workspace folder, or one that the user picks. Returns undefined if the user
 * dismissed the picker.
 *
 * @throws UserError if no folder is open
 */
export async function chooseFolder(argument: unknown): Promise<vscode.Uri | undefined> {
  if (argument instanceof vscode.Uri) return argument;
  const [first, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (!first) throw new UserError(l10n.t('no folder is open; open the folder that contains the manifests'));
  if (others.length === 0) return first.uri;
  const items = [first, ...others].map(({ name, uri }) => ({ label: shown`$(folder) ${name}`, uri }));
  return (await pick(items, { placeholder: l10n.t('Folder whose manifests to deploy') }))?.uri;
}
