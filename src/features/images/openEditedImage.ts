import * as vscode from 'vscode';
import type { StoreResult } from './imageEditStore.ts';

const PREVIEW = 'imagePreview.previewEditor';

/** Opens the edited image in the preview of the editor: the saved file if there is one, or else a file in the extension's storage. */
export async function openEditedImage(
  { globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>,
  { edit, image, savedAs }: StoreResult,
): Promise<void> {
  const uri = savedAs === undefined ? undefined : vscode.Uri.parse(savedAs, true);
  if (uri && (await exists(uri))) return open(uri);
  if (!image) return;
  const folder = vscode.Uri.joinPath(globalStorageUri, 'editedImages');
  // The folder only holds the images that are open, so the ones of earlier sessions are replaced.
  const file = vscode.Uri.joinPath(folder, `${fileName(edit.id)}.${image.mediaType.replace('image/', '')}`);
  await vscode.workspace.fs.createDirectory(folder);
  await vscode.workspace.fs.writeFile(file, image.bytes);
  return open(file);
}

async function open(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('vscode.openWith', uri, PREVIEW, { preview: false });
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** IDs come from the platform, and can contain any character. */
function fileName(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_').slice(0, 60) || 'edited';
}
