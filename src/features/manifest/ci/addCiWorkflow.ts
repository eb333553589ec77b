import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { showMessage } from '../../../kit/messages.ts';
import { pick } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';
import { joined, shown } from '../../../text/shownText.ts';
import { chooseFolder } from '../deployAll/confirmDeployment.ts';
import { workspaceTree } from '../manifestFiles.ts';
import { findRepository } from './actions/findRepository.ts';
import { writeCiWorkflow } from './actions/writeCiWorkflow.ts';
import type { CiService } from './model/ciSetup.ts';

/** Asks for the service, writes its workflow unless it exists, opens it, and names the settings that it needs. */
export async function addCiWorkflow({ context }: Pick<AccountServices, 'context'>, argument: unknown): Promise<void> {
  const folder = await chooseFolder(argument);
  if (!folder) return;
  if (folder.scheme !== 'file') throw new UserError(l10n.t('the folder is not on this machine'));
  const repository = await findRepository(folder.fsPath);
  const service = await chooseService(repository.service);
  if (!service) return;
  const { file, path, isWritten, include, secrets, variables } = await writeCiWorkflow({
    ...{ service, repository, tree: workspaceTree, extension: context.extensionPath },
    folder: { place: folder, path: folder.fsPath },
    signal: new AbortController().signal,
  });
  await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
  if (!isWritten) {
    void showMessage('warning', shown`${path} exists, and was not changed.`);
    return;
  }
  const settings = shown`Set the secrets ${joined(secrets, ', ')} and the variables ${joined(variables, ', ')} in the settings of the repository.`;
  void showMessage(
    'information',
    include === undefined ? settings : shown`${settings} Add this line to .gitlab-ci.yml: ${include}`,
  );
}

/** Asks for the service. The one that the repository uses is the first. */
async function chooseService(known: CiService | undefined): Promise<CiService | undefined> {
  const services = [
    { service: 'github', label: shown`GitHub Actions` },
    { service: 'gitlab', label: shown`GitLab` },
  ] as const;
  const items = services.toSorted((a, b) => Number(b.service === known) - Number(a.service === known));
  const chosen = await pick(items, { placeholder: l10n.t('Service that runs the workflow') });
  return chosen?.service;
}
