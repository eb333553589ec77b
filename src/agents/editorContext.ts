import * as vscode from 'vscode';
import type { JobRecords } from '../features/jobs/index.ts';
import { LOCAL_ID } from '../account/connections/connectionDocument.ts';
import { NotConnectedError, requireConnection } from '../account/connections/requireConnection.ts';
import { useLocalPlatform } from '../account/localPlatform/useLocalPlatform.ts';
import { hiddenValues } from '../account/secrets/hiddenValues.ts';
import { s3AccessOf } from '../client/s3/s3Connection.ts';
import { valueSource } from '../account/secrets/valueSource.ts';
import type { AccountServices } from '../account/accountServices.ts';
import type { ToolConnection, ToolContext, ToolLocalPlatform, WorkspaceFiles } from './actions/agentTool.ts';
import { ToolError } from './model/toolError.ts';

/** Returns what the tools use in the editor. */
export async function editorContext(
  services: AccountServices,
  jobs: JobRecords,
  signal: AbortSignal,
): Promise<ToolContext> {
  const { connections, clock, log } = services;
  await connections.whenLoaded();
  const { workspaceFiles } = await import('./actions/workspaceFiles.ts');
  const folders = vscode.workspace.workspaceFolders ?? [];
  const files = workspaceFiles(folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath));
  return {
    connection: () => toolConnection(services, jobs),
    files: withOpenDocuments(files),
    localPlatform: toolLocalPlatform(services),
    values: valueSource(services),
    secrets: () => secretsOf(services),
    ...{ clock, signal },
    report: (progress) => log.debug(progress),
  };
}

/** @throws ToolError `notConnected` */
function toolConnection(
  { connections, endpoints }: Pick<AccountServices, 'connections' | 'endpoints'>,
  { history, follower, requests }: JobRecords,
): ToolConnection {
  try {
    const { client, profile } = requireConnection(connections);
    const { name, id, kind, baseUrl } = profile;
    const { host } = new URL(baseUrl);
    return {
      client,
      name,
      host,
      endpoints,
      isLocal: kind === 'local',
      s3: s3AccessOf(profile),
      jobs: { connectionId: id, history, follower, requests },
    };
  } catch (error) {
    if (error instanceof NotConnectedError) throw new ToolError('notConnected', error.sentence.text);
    throw error;
  }
}

function toolLocalPlatform(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform'>,
): ToolLocalPlatform {
  const { localPlatform, clock } = services;
  return {
    get isRunning() {
      return localPlatform.state.kind === 'running';
    },
    start: async () => useLocalPlatform(services, await localPlatform.start()),
    control: async () => {
      const { state } = localPlatform;
      if (state.kind !== 'running') throw new ToolError('notRunning', 'The local platform is not running.');
      const { createControlClient } = await import('../client/controlClient.ts');
      return createControlClient({ connection: state.announcement, fetch: globalThis.fetch, clock });
    },
  };
}

/** Reads the text of an editor instead of its file, if the user has not saved it. Commands do the same. */
function withOpenDocuments(files: WorkspaceFiles): WorkspaceFiles {
  const unsaved = (path: string) =>
    vscode.workspace.textDocuments.find(({ uri, isDirty }) => isDirty && uri.scheme === 'file' && uri.fsPath === path);
  return {
    find: (name) => files.find(name),
    create: (name, content) => files.create(name, content),
    read: async (name, maxBytes) => {
      const file = await files.find(name);
      const document = unsaved(file.path);
      if (!document) return files.read(name, maxBytes);
      const bytes = new TextEncoder().encode(document.getText());
      if (bytes.length > maxBytes) throw new ToolError('tooLarge', `The editor of “${name}” contains too much text.`);
      return bytes;
    },
  };
}

/** Returns the keys of all connections, the stored secrets, and the values of the environment that were sent. */
async function secretsOf(
  services: Pick<AccountServices, 'globalState' | 'connections' | 'secrets'>,
): Promise<readonly string[]> {
  const { connections } = services;
  const keys = [...connections.hosted, connections.find(LOCAL_ID)].flatMap((profile) =>
    [profile?.apiKey, profile?.s3SecretAccessKey].filter((key) => key !== undefined),
  );
  const hidden = await hiddenValues(services);
  return [...keys, ...hidden.map(({ value }) => value)].filter((value) => value !== '');
}
