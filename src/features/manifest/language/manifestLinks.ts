import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { documentLink } from '../../../kit/marks.ts';
import type { ManifestLink } from '../model/reading/links.ts';
import type { ManifestModels } from './manifestModels.ts';

/** Links images to the pages of their registries, and `x-local.directory` to the folder. */
export function manifestLinkProvider(models: ManifestModels): vscode.DocumentLinkProvider {
  return {
    provideDocumentLinks: async (document) => {
      const [file, { manifestLinks }] = await Promise.all([models.read(document), import('../model/reading/links.ts')]);
      const links = await Promise.all(manifestLinks(file).map((link) => linkIn(document, link)));
      return links.filter((link) => link !== undefined);
    },
  };
}

async function linkIn(document: vscode.TextDocument, link: ManifestLink): Promise<vscode.DocumentLink | undefined> {
  const range = new vscode.Range(document.positionAt(link.start), document.positionAt(link.end));
  if (link.kind === 'image')
    return documentLink(range, vscode.Uri.parse(link.page, true), l10n.t('Open the page of the image'));
  const folder = await folderOf(document.uri, link.directory);
  return folder && documentLink(range, revealing(folder), l10n.t('Show the folder'));
}

/** Resolves a directory as the create command does. Returns undefined if it is not an existing folder. */
async function folderOf(manifest: vscode.Uri, directory: string): Promise<vscode.Uri | undefined> {
  const isAbsolute = path.isAbsolute(directory);
  if (manifest.scheme !== 'file' && !(isAbsolute && manifest.scheme === 'untitled')) return undefined;
  const folder = isAbsolute ? vscode.Uri.file(directory) : vscode.Uri.joinPath(manifest, '..', directory);
  try {
    const { type } = await vscode.workspace.fs.stat(folder);
    return (type & vscode.FileType.Directory) === 0 ? undefined : folder;
  } catch {
    return undefined;
  }
}

/** Returns the address of a command. The editor cannot open the address of a folder itself. */
function revealing(folder: vscode.Uri): vscode.Uri {
  const command = vscode.workspace.getWorkspaceFolder(folder) ? 'revealInExplorer' : 'revealFileInOS';
  return vscode.Uri.from({ scheme: 'command', path: command, query: JSON.stringify([folder.toJSON()]) });
}
