import process from 'node:process';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { showMessage, showStatusBarMessage } from '../../vscode/messages.ts';
import { shown } from '../../vscode/text/shownText.ts';
import { UserError } from '../../vscode/userError.ts';
import type { ConnectionStore, Profile } from '../connections/connectionStore.ts';
import { dataDirectory } from '../localPlatform/localPlatformSettings.ts';
import type { Services } from '../services.ts';
import {
  HOSTED_VARIABLES,
  hostedEnvironment,
  serverConfiguration,
  serverStart,
  type ServerStart,
} from './model/mcpServerSetup.ts';

const PROVIDER = 'cloudCompute.tools';
const SETTING = 'cloudCompute.agents.mcpServer';
const CONFIRMATION_MS = 3_000;

/** Registers the MCP server with the editor, and the command that copies its configuration for other programs. */
export function registerMcpServer(services: Services): vscode.Disposable {
  const { log, connections } = services;
  const provider = new ServerProvider(services);
  return vscode.Disposable.from(
    provider,
    vscode.lm.registerMcpServerDefinitionProvider(PROVIDER, provider),
    registerCommand(
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
    ),
  );
}

/** The services that the server needs. */
export interface ServerServices {
  readonly context: Pick<vscode.ExtensionContext, 'asAbsolutePath' | 'extension' | 'globalStorageUri'>;
  readonly connections: Pick<ConnectionStore, 'profile' | 'onDidChange' | 'whenLoaded'>;
}

/** Provides the server if the setting is on. The tools are also language model tools of the editor, so the default is off. */
export class ServerProvider implements vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> {
  readonly #services: ServerServices;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeMcpServerDefinitions = this.#changed.event;
  readonly #listeners: vscode.Disposable;
  /** Number of changes of the connection. A server with another version is started again. */
  #version = 0;
  #connection: string;

  constructor(services: ServerServices) {
    this.#services = services;
    const { connections } = services;
    this.#connection = JSON.stringify(environmentOf(connections.profile));
    this.#listeners = vscode.Disposable.from(
      connections.onDidChange(() => {
        const connection = JSON.stringify(environmentOf(connections.profile));
        if (connection === this.#connection) return;
        this.#connection = connection;
        this.#version += 1;
        this.#changed.fire();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SETTING)) this.#changed.fire();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#changed.fire()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#changed.fire()),
    );
  }

  /** Returns the server without addresses and keys. */
  provideMcpServerDefinitions(): vscode.McpStdioServerDefinition[] {
    if (!vscode.workspace.isTrusted || !vscode.workspace.getConfiguration().get<boolean>(SETTING, false)) return [];
    const { command, args, env } = startOf(this.#services);
    const version = `${(this.#services.context.extension.packageJSON as { version: string }).version}-${this.#version}`;
    return [new vscode.McpStdioServerDefinition('Cloud Compute', command, [...args], { ...env }, version)];
  }

  /** Adds the addresses and the key of the current connection. Undefined in an untrusted workspace. */
  async resolveMcpServerDefinition(
    server: vscode.McpStdioServerDefinition,
  ): Promise<vscode.McpStdioServerDefinition | undefined> {
    if (!vscode.workspace.isTrusted) return undefined;
    const { connections } = this.#services;
    await connections.whenLoaded();
    server.env = { ...server.env, ...environmentOf(connections.profile) };
    return server;
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#changed.dispose();
  }
}

function startOf({ context }: Pick<ServerServices, 'context'>): ServerStart {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return serverStart({
    node: process.execPath,
    program: context.asAbsolutePath('dist/cli.js'),
    dataDirectory: dataDirectory(context),
    folders: folders.map(({ uri }) => uri.fsPath),
  });
}

/** Returns the variables of the current connection. Variables of the editor's own environment do not count. */
function environmentOf(profile: Profile | undefined): Record<string, string | null> {
  const none = Object.fromEntries(Object.values(HOSTED_VARIABLES).map((name) => [name, null]));
  // The server joins the local platform by its data directory.
  if (profile?.kind !== 'hosted') return none;
  const key = profile.apiKey === '' ? null : profile.apiKey;
  return { ...none, ...hostedEnvironment(profile), [HOSTED_VARIABLES.apiKey]: key };
}
