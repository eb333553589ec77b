import process from 'node:process';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMessage, showStatusBarMessage } from '../kit/messages.ts';
import { shown } from '../text/shownText.ts';
import { UserError } from '../kit/userError.ts';
import { dataDirectory } from '../account/localPlatform/localPlatformSettings.ts';
import type { AccountServices } from '../account/accountServices.ts';
import { HOSTED_VARIABLES } from '../account/connections/model/hostedVariables.ts';
import { hostedEnvironment, type HostedEnvironment } from './model/mcpServerSetup.ts';

const CONFIRMATION_MS = 3_000;

/** Copies the configuration of the MCP server for other programs. */
export async function copyMcpConfiguration(services: Pick<AccountServices, 'context' | 'connections'>): Promise<void> {
  if (!vscode.workspace.isTrusted) throw new UserError(l10n.t('The MCP server requires a trusted workspace'));
  const { connections } = services;
  await connections.whenLoaded();
  const { profile } = connections;
  const hosted = profile?.kind === 'hosted' ? hostedEnvironment(profile) : {};
  await vscode.env.clipboard.writeText(configuration(services, hosted));
  if (profile?.kind !== 'hosted') showStatusBarMessage(shown`$(check) MCP configuration copied`, CONFIRMATION_MS);
  else
    void showMessage(
      'information',
      shown`The configuration was copied without the API key of “${profile.name}”. Add the key to its env as ${HOSTED_VARIABLES.apiKey}.`,
    );
}

/** Returns the configuration for other clients, as JSON that most of them accept. Contains no secret. */
function configuration({ context }: Pick<AccountServices, 'context'>, hosted: HostedEnvironment): string {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const server = {
    command: process.execPath,
    args: [
      ...[context.asAbsolutePath('dist/cli.js'), 'mcp', '--data-dir', dataDirectory(context)],
      ...folders.flatMap(({ uri }) => ['--workspace', uri.fsPath]),
    ],
    // The executable of a desktop editor is Node.js only with this variable.
    env: { ELECTRON_RUN_AS_NODE: '1', ...hosted },
  };
  return JSON.stringify({ mcpServers: { 'cloud-compute': server } }, null, 2);
}
