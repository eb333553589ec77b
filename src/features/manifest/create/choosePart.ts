import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import { pick, type ShownItem } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { fileName, isManifest, MANIFEST_GLOB } from '../manifestFiles.ts';
import { nameOf } from '../model/deployment/matchEndpoint.ts';
import type { ManifestFile, ManifestPart } from '../model/manifestFile.ts';

const NEW_FILE: CommandId = 'cloudCompute.manifest.newFile';

interface ManifestItem extends ShownItem {
  /** Undefined for a new manifest. */
  readonly uri?: vscode.Uri;
}

/** One endpoint of a manifest file in the editor. */
export interface ChosenPart {
  readonly document: vscode.TextDocument;
  readonly file: ManifestFile;
  readonly part: ManifestPart;
}

/**
 * Returns the manifest that a command acts on: the one that its arguments name, the one at the cursor, or one that the user picks.
 *
 * @param args arguments of the command: the URI of the file, and the index of the endpoint in the file
 */
export async function choosePart(
  { models }: { readonly models: Pick<ManifestModels, 'read'> },
  [uri, index]: readonly unknown[],
  purpose: string,
): Promise<ChosenPart | undefined> {
  const document = await chooseManifest(uri, purpose);
  if (!document) return undefined;
  const file = await models.read(document);
  const named = typeof index === 'number' ? file.parts[index] : undefined;
  const part = named ?? (await partOf(document, file, purpose));
  return part && { document, file, part };
}

async function partOf(
  document: vscode.TextDocument,
  { parts }: ManifestFile,
  placeholder: string,
): Promise<ManifestPart | undefined> {
  if (parts.length <= 1) return parts[0];
  const editor = vscode.window.activeTextEditor;
  if (editor?.document === document) {
    const cursor = document.offsetAt(editor.selection.active);
    return parts.findLast(({ start }) => start <= cursor) ?? parts[0];
  }
  const items = parts.map((part) => ({
    label: nameOf(part) ?? l10n.t`Endpoint ${part.index + 1}`,
    description: shown`line ${document.positionAt(part.start).line + 1}`,
    part,
  }));
  return (await pick(items, { placeholder }))?.part;
}

/**
 * Returns the file that a command acts on: its argument, the document in the active editor, the only manifest of the workspace, or one
 * that the user picks. Returns undefined if the user dismissed the picker or started a new file.
 */
async function chooseManifest(argument: unknown, purpose: string): Promise<vscode.TextDocument | undefined> {
  if (argument instanceof vscode.Uri && isManifest({ uri: argument }))
    return vscode.workspace.openTextDocument(argument);
  const active = vscode.window.activeTextEditor?.document;
  if (active && isManifest(active)) return active;

  const uris = await vscode.workspace.findFiles(MANIFEST_GLOB, '**/node_modules/**');
  const [only, ...others] = uris;
  if (only && others.length === 0) return vscode.workspace.openTextDocument(only);
  const items = uris.map(itemOf).sort((a, b) => a.sortKey.localeCompare(b.sortKey));
  const create: ManifestItem = {
    label: shown`$(new-file) New Endpoint File…`,
    detail: l10n.t('Starts from an example, a template, an endpoint, or a worker of the workspace'),
    alwaysShow: true,
  };
  const placeholder = items.length > 0 ? purpose : l10n.t('This workspace has no manifest (*.endpoint.yaml)');
  const chosen = await pick<ManifestItem>([...items, create], { placeholder });
  if (!chosen) return undefined;
  if (chosen.uri) return vscode.workspace.openTextDocument(chosen.uri);
  await vscode.commands.executeCommand(NEW_FILE);
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
