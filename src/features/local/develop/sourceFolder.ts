import * as l10n from '@vscode/l10n';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { pick } from '../../../kit/quickInput.ts';
import { MANIFEST_GLOB } from '../../manifest/index.ts';

/** Maximum number of manifests that are read. */
const MAX_MANIFESTS = 200;

/** Chosen folders, by the names of endpoints. `launch.json` keeps them for longer, as `localRoot`. */
const chosen = new Map<string, string>();

/**
 * Returns the folder on this machine with the files of a worker that runs in a container: the one that the manifest of the endpoint names.
 * If it is unclear, the user chooses it. Undefined if the user dismisses the list.
 */
export async function sourceFolder({ name }: Pick<Endpoint, 'name'>): Promise<string | undefined> {
  const known = chosen.get(name);
  if (known !== undefined) return known;
  const named = await namedFolders(name);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  const workspace = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const folders = [...new Set([...named, ...workspace])];
  const items = [
    ...folders.map((folder) => ({ label: path.basename(folder), description: folder, folder })),
    { label: l10n.t('Choose Folder…'), folder: undefined },
  ];
  const item = await pick(items, { placeholder: l10n.t`Folder with the files of the image of “${name}”` });
  if (!item) return undefined;
  const folder = item.folder ?? (await openedFolder());
  if (folder !== undefined) chosen.set(name, folder);
  return folder;
}

async function openedFolder(): Promise<string | undefined> {
  const found = await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true });
  return found?.[0]?.fsPath;
}

/** Returns the folders of the manifests with this name: that of `x-local`, the context of their image, or their own. */
async function namedFolders(name: string): Promise<string[]> {
  const { writtenEndpoints } = await import('../../manifest/model/text/parse.ts');
  const manifests = await vscode.workspace.findFiles(MANIFEST_GLOB, '**/node_modules/**', MAX_MANIFESTS);
  const folders = await Promise.all(
    manifests.map(async (uri) => {
      const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
      return writtenEndpoints(text, uri.path)
        .filter((written) => written['name'] === name)
        .map(({ 'x-local': local, 'x-build': build }) => {
          const folder = memberOf(local, 'directory') ?? memberOf(build, 'context') ?? '.';
          return path.resolve(path.dirname(uri.fsPath), folder);
        });
    }),
  );
  return [...new Set(folders.flat())];
}

function memberOf(value: unknown, name: string): string | undefined {
  const member = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}
