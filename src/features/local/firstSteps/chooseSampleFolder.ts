import { homedir } from 'node:os';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ShownItem } from '../../../kit/quickInput.ts';
import { askItem, BACK } from '../../../kit/steps.ts';
import { folderState, sampleFolderIn } from './actions/copySample.ts';

interface FolderItem extends ShownItem {
  /** Path of the copy. Undefined: the user chooses the folder that contains it. */
  readonly folder: string | undefined;
}

/** Asks where the sample should be copied to. Resolves with the path of the copy, or undefined if the user dismissed the question. */
export async function chooseSampleFolder(source: string): Promise<string | undefined> {
  // It stays open without the focus, which the walkthrough takes when one of its steps opens.
  const chosen = await askItem<FolderItem>({
    place: { title: l10n.t('Try the Sample') },
    placeholder: l10n.t('Select the folder for the sample. Existing files stay unchanged'),
    items: await folderItems(source),
  });
  if (chosen === undefined || chosen === BACK) return undefined;
  return chosen.item.folder ?? (await askForFolder(source));
}

async function folderItems(source: string): Promise<readonly FolderItem[]> {
  const open = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return [
    ...(await Promise.all(open.map(({ name, uri }) => itemOfOpenFolder(source, name, uri.fsPath)))),
    await itemOf(source, l10n.t('In the Home Folder'), homedir(), 'home'),
    {
      label: l10n.t('Choose Folder…'),
      icon: new vscode.ThemeIcon('folder-opened'),
      folder: undefined,
      alwaysShow: true,
    },
  ];
}

/** The open folder can be the sample itself. */
async function itemOfOpenFolder(source: string, name: string, folder: string): Promise<FolderItem> {
  const state = await folderState(source, folder).catch(() => 'hasOtherFiles');
  if (state !== 'hasSample') return itemOf(source, l10n.t`In the Open Folder “${name}”`, folder, 'folder');
  const label = l10n.t`In the Open Folder “${name}”, Which Contains the Sample`;
  return { label, description: folder, icon: new vscode.ThemeIcon('folder'), folder };
}

async function itemOf(source: string, label: string, parent: string, icon: string): Promise<FolderItem> {
  const folder = await sampleFolderIn(source, parent);
  return { label, description: folder, icon: new vscode.ThemeIcon(icon), folder };
}

async function askForFolder(source: string): Promise<string | undefined> {
  const uris = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    title: l10n.t('Folder for the sample'),
    openLabel: l10n.t('Copy Sample'),
  });
  const parent = uris?.[0]?.fsPath;
  if (parent === undefined) return undefined;
  const isSample = (await folderState(source, parent)) === 'hasSample';
  return isSample ? parent : sampleFolderIn(source, path.resolve(parent));
}
