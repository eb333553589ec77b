import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { MAX_EMBEDDED_IMAGE_BYTES } from '../../contract/imageModel.ts';
import { readImageFile, tooLarge, type SourceImage } from './actions/readSource.ts';

/** Reads an image file. @throws SourceError if it cannot be edited; FileSystemError if it cannot be read */
export async function readSourceFile(uri: vscode.Uri): Promise<SourceImage> {
  const { size } = await vscode.workspace.fs.stat(uri);
  // A file over the limit is not read.
  if (size > MAX_EMBEDDED_IMAGE_BYTES) throw tooLarge(size);
  const bytes = await vscode.workspace.fs.readFile(uri);
  return readImageFile(bytes, vscode.workspace.asRelativePath(uri));
}

/** Lets the user choose an image file. Resolves with undefined if the user cancels. */
export async function chooseSourceFile(): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showOpenDialog({
    title: l10n.t('Image to Edit'),
    openLabel: l10n.t('Edit'),
    filters: { Images: ['png', 'jpg', 'jpeg'] },
    ...(folder && { defaultUri: folder }),
  });
  return chosen?.[0];
}
