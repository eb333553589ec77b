import path from 'node:path';
import * as vscode from 'vscode';
import { pick, type ShownItem } from '../../../vscode/quickInput.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import { fileName, isManifest, MANIFEST_GLOB } from '../manifestFiles.ts';
import { manifestTemplate, newManifestName } from './manifestTemplate.ts';

interface ManifestItem extends ShownItem {
  /** Undefined for a new manifest. */
  readonly uri?: vscode.Uri;
}

/**
 * Returns the manifest that a command acts on: its argument, the document in the active editor, or a workspace manifest that the user
 * picks. Returns undefined if the user dismissed the picker or opened a new manifest.
 */
export async function chooseManifest(
  argument: unknown,
  purpose = 'Manifest to create an endpoint from',
): Promise<vscode.TextDocument | undefined> {
  if (argument instanceof vscode.Uri && isManifest({ uri: argument }))
    return vscode.workspace.openTextDocument(argument);
  const active = vscode.window.activeTextEditor?.document;
  if (active && isManifest(active)) return active;

  const uris = await vscode.workspace.findFiles(MANIFEST_GLOB, '**/node_modules/**');
  const items = uris.map(itemOf).sort((a, b) => a.sortKey.localeCompare(b.sortKey));
  const create: ManifestItem = {
    label: shown`$(new-file) New Manifest…`,
    detail: 'Opens a complete example that you can edit',
    alwaysShow: true,
  };
  const placeholder = items.length > 0 ? purpose : 'This workspace has no manifest (*.endpoint.yaml)';
  const chosen = await pick<ManifestItem>([...items, create], { placeholder });
  if (!chosen) return undefined;
  if (chosen.uri) return vscode.workspace.openTextDocument(chosen.uri);
  await openNewManifest();
  return undefined;
}

function itemOf(uri: vscode.Uri): ManifestItem & { readonly sortKey: string } {
  const relative = vscode.workspace.asRelativePath(uri);
  const folder = path.posix.dirname(relative);
  return {
    label: shown`$(file) ${fileName(uri)}`,
    ...(folder === '.' ? {} : { description: folder }),
    uri,
    sortKey: relative,
  };
}

/** Opens an unsaved manifest with an unused name in the first workspace folder. */
async function openNewManifest(): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const taken = folder ? (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name) : [];
  const open = vscode.workspace.textDocuments.map(({ uri }) => fileName(uri));
  const name = newManifestName([...taken, ...open]);
  const file = folder ? vscode.Uri.joinPath(folder, name) : vscode.Uri.from({ scheme: 'untitled', path: name });
  const document = await vscode.workspace.openTextDocument(file.with({ scheme: 'untitled' }));
  const editor = await vscode.window.showTextDocument(document);
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), manifestTemplate));
}
