import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpServer } from '@modelcontextprotocol/server';
import { initialCapabilities } from './consent.ts';

/**
 * Returns a function that reads the folders of a client, which are the roots of its protocol. They are read once, and again after they have
 * changed. Undefined if the client does not report any folders.
 */
export function clientFolders(mcp: McpServer): () => Promise<readonly string[] | undefined> {
  let folders: Promise<readonly string[]> | undefined;
  const { server } = mcp;
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    folders = undefined;
  });
  return async () => {
    // Clients of the protocol from 2026 pass folders only in the configuration of the server.
    if (initialCapabilities(mcp)?.roots === undefined) return undefined;
    // oxlint-disable-next-line typescript/no-deprecated -- only clients of the protocol before 2026 get here
    folders ??= server.listRoots().then(({ roots }) => roots.flatMap(({ uri }) => pathOf(uri) ?? []));
    try {
      return await folders;
    } catch {
      folders = undefined;
      return undefined;
    }
  };
}

function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

/**
 * Returns the folders whose files tools can use: those of the flags, those of the client, or else the working directory. Clients start
 * servers in any directory, so the home directory and the root of a disk do not count.
 */
export function workspaceFolders(
  flags: readonly string[],
  client: readonly string[] | undefined,
  workingDirectory: string,
): readonly string[] {
  if (flags.length > 0) return flags;
  if (client) return client;
  const isHome = path.resolve(workingDirectory) === path.resolve(homedir());
  const isRoot = path.dirname(workingDirectory) === workingDirectory;
  return isHome || isRoot ? [] : [workingDirectory];
}
