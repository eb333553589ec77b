import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { idPart } from '../../../text/ids.ts';
import type { Folder } from './exchangeFiles.ts';

/** Returns the folder with the stored responses of a connection. It is created when the first file is written. */
export function responseFolder(context: vscode.ExtensionContext, connectionId: string): Folder {
  const folder = vscode.Uri.joinPath(rootOf(context), idPart(connectionId));
  const at = (name: string) => vscode.Uri.joinPath(folder, name);
  return {
    read: async (name) => orUndefined(vscode.workspace.fs.readFile(at(name))),
    write: async (name, content) => writePrivate(at(name), content),
    remove: async (name) => orUndefined(vscode.workspace.fs.delete(at(name))),
    list: async () => {
      const entries = (await orUndefined(vscode.workspace.fs.readDirectory(folder))) ?? [];
      const stats = entries.map(async ([name]) => {
        const stat = await orUndefined(vscode.workspace.fs.stat(at(name)));
        return stat && { name, size: stat.size, mtime: stat.mtime };
      });
      return (await Promise.all(stats)).filter((stat) => stat !== undefined);
    },
  };
}

/** Writes a file for its user only. VS Code's file system sets no modes. */
async function writePrivate(uri: vscode.Uri, content: Uint8Array): Promise<void> {
  await mkdir(path.dirname(uri.fsPath), { recursive: true, mode: 0o700 });
  await writeFile(uri.fsPath, content, { mode: 0o600 });
}

/** Deletes the stored responses of all connections except these. */
export async function keepResponsesOf(
  context: vscode.ExtensionContext,
  connectionIds: readonly string[],
): Promise<void> {
  const kept = new Set(connectionIds.map(idPart));
  const entries = (await orUndefined(vscode.workspace.fs.readDirectory(rootOf(context)))) ?? [];
  for (const [name] of entries)
    if (!kept.has(name))
      await orUndefined(vscode.workspace.fs.delete(vscode.Uri.joinPath(rootOf(context), name), { recursive: true }));
}

/** The history is global too, so that each workspace shows the same requests and responses. */
function rootOf({ globalStorageUri }: vscode.ExtensionContext): vscode.Uri {
  return vscode.Uri.joinPath(globalStorageUri, 'responses');
}

/** Resolves with undefined if the file does not exist or cannot be used. */
async function orUndefined<Value>(action: Thenable<Value>): Promise<Value | undefined> {
  try {
    return await action;
  } catch {
    return undefined;
  }
}
