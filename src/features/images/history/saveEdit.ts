import os from 'node:os';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { fileExists } from '../../../kit/files.ts';
import { showError } from '../../../kit/errors.ts';
import type { Log } from '../../../kit/log.ts';
import { showMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { SaveEdit } from '../model/editHistory.ts';
import type { EditedImage, EditSource } from '../model/imageEdit.ts';
import { OutsideError, writeInside } from './actions/writeInside.ts';
import { fileNames, folderSegments, sourcePlaces } from './model/fileName.ts';
import { extensionOf } from './model/keptRecord.ts';

const SAVE_FAILED = l10n.t('Could not save the image');

/**
 * Returns the function that saves an edited image beside its source, or else in the workspace folder. A window without a folder asks for the
 * file. A message offers to open the saved file.
 */
export function createSaveEdit(log: Log): SaveEdit {
  return async (image, source) => {
    const uri = await save(image, source);
    if (uri) announce(log, uri);
    return uri?.toString();
  };
}

async function save(image: EditedImage, source: EditSource): Promise<vscode.Uri | undefined> {
  const place = await placeOf(source);
  const extension = extensionOf(image.mediaType);
  const names = fileNames(source.kind === 'file' ? source.name : nameInUrl(source.url), extension);
  if (!place) return saveAs(names.next().value, image.bytes);
  const { root, segments } = place;
  return root.scheme === 'file'
    ? writeOnDisk(root, segments, names, image.bytes)
    : writeElsewhere(root, segments, names, image.bytes);
}

interface Place {
  readonly root: vscode.Uri;
  /** Folder of the source relative to the root. */
  readonly segments: readonly string[];
}

/** Returns the workspace folder for an image and the folder of its source, or undefined without a workspace. */
async function placeOf(source: EditSource): Promise<Place | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [first] = folders;
  if (!first || source.kind !== 'file') return first && { root: first.uri, segments: [] };
  if (path.isAbsolute(source.name)) {
    const owner = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(source.name));
    const relative = owner && folderSegments(path.relative(owner.uri.fsPath, path.dirname(source.name)));
    return owner && relative ? { root: owner.uri, segments: relative } : { root: first.uri, segments: [] };
  }
  for (const [{ uri }, file] of sourcePlaces(source.name.replaceAll('\\', '/'), folders)) {
    const segments = folderSegments(path.posix.dirname(file));
    if (segments && (await fileExists(vscode.Uri.joinPath(uri, file)))) return { root: uri, segments };
  }
  // The source no longer exists, so its folder is not created again.
  return { root: first.uri, segments: [] };
}

async function writeOnDisk(
  root: vscode.Uri,
  segments: readonly string[],
  names: Iterable<string>,
  bytes: Uint8Array,
): Promise<vscode.Uri> {
  try {
    return vscode.Uri.file(await writeInside(root.fsPath, segments, names, bytes));
  } catch (error) {
    if (error instanceof OutsideError)
      throw new UserError(shown`the folder “${segments.join('/')}” is a link that leads out of the workspace folder`);
    throw error;
  }
}

/** Writes a file of a virtual workspace, which has neither links nor exclusive creation. */
async function writeElsewhere(
  root: vscode.Uri,
  segments: readonly string[],
  names: Iterable<string>,
  bytes: Uint8Array,
): Promise<vscode.Uri> {
  for (const name of names) {
    const uri = vscode.Uri.joinPath(root, ...segments, name);
    if (await fileExists(uri)) continue;
    await vscode.workspace.fs.writeFile(uri, bytes);
    return uri;
  }
  throw new UserError(l10n.t('no file name is available'));
}

async function saveAs(name: string, bytes: Uint8Array): Promise<vscode.Uri | undefined> {
  const uri = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.file(path.join(os.homedir(), name)) });
  if (uri) await vscode.workspace.fs.writeFile(uri, bytes);
  return uri;
}

/** Returns the last part of the path of a URL. */
function nameInUrl(url: string): string {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Not awaited, because the image is saved before the user responds. */
function announce(log: Log, uri: vscode.Uri): void {
  const [open, reveal] = [l10n.t('Open'), l10n.t('Reveal')] as const;
  void showMessage('information', shown`Saved as ${vscode.workspace.asRelativePath(uri)}.`, open, reveal)
    .then(async (chosen) => {
      if (chosen === open) await vscode.commands.executeCommand('vscode.open', uri);
      if (chosen === reveal)
        await vscode.commands.executeCommand(isInWorkspace(uri) ? 'revealInExplorer' : 'revealFileInOS', uri);
    })
    .catch((error: unknown) => showError(log, error, SAVE_FAILED));
}

const isInWorkspace = (uri: vscode.Uri): boolean => vscode.workspace.getWorkspaceFolder(uri) !== undefined;
