import process from 'node:process';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { DATA_DIRECTORY_VARIABLE } from '../../../contract/launch/dataDirectoryVariable.ts';
import { dataDirectory } from '../../../account/localPlatform/localPlatformSettings.ts';

/** Lets the command line program use the editor's local platform in new terminals and tasks, unless the user has chosen another one. */
export function registerTerminals(context: vscode.ExtensionContext): vscode.Disposable {
  const { environmentVariableCollection: variables } = context;
  variables.description = l10n.t('Selects the local platform of the editor for `cloud-compute`');
  const update = (): void => {
    if (process.env[DATA_DIRECTORY_VARIABLE] === undefined)
      variables.replace(DATA_DIRECTORY_VARIABLE, dataDirectory(context));
    else variables.delete(DATA_DIRECTORY_VARIABLE);
  };
  update();
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration('cloudCompute.localPlatform.dataDirectory')) update();
  });
}
