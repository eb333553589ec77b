import process from 'node:process';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { showMessage, showStatusBarMessage } from '../../vscode/messages.ts';
import { shown } from '../../vscode/text/shownText.ts';
import { UserError } from '../../vscode/userError.ts';
import { dataDirectory } from '../localPlatform/localPlatformSettings.ts';
import type { Services } from '../services.ts';
import {
  HOSTED_VARIABLES,
  hostedEnvironment,
  serverConfiguration,
  serverStart,
  type ServerStart,
} from './model/mcpServerSetup.ts';

const CONFIRMATION_MS = 3_000;

/** Registers the command that copies the configuration of the MCP server for other programs. */
export function registerMcpServer(services: Services): vscode.Disposable {
  const { log, connections } = services;
  return registerCommand(
    log,
    'cloudCompute.agents.copyMcpConfiguration',
    l10n.t('Could not copy the configuration'),
    async () => {
      if (!vscode.workspace.isTrusted) throw new UserError(l10n.t('The MCP server requires a trusted workspace'));
      await connections.whenLoaded();
      const { profile } = connections;
      const hosted = profile?.kind === 'hosted' ? hostedEnvironment(profile) : {};
      await vscode.env.clipboard.writeText(serverConfiguration(startOf(services), hosted));
      if (profile?.kind !== 'hosted') showStatusBarMessage(shown`$(check) MCP configuration copied`, CONFIRMATION_MS);
      else
        void showMessage(
          'information',
          shown`The configuration was copied without the API key of “${profile.name}”. Add the key to its env as ${HOSTED_VARIABLES.apiKey}.`,
        );
    },
  );
}

function startOf({ context }: Pick<Services, 'context'>): ServerStart {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return serverStart({
    node: process.execPath,
    program: context.asAbsolutePath('dist/cli.js'),
    dataDirectory: dataDirectory(context),
    folders: folders.map(({ uri }) => uri.fsPath),
  });
}
