import path from 'node:path';
import * as vscode from 'vscode';
import { mimeTypeOf } from '../model/dataUrl.ts';

/** A file that was dropped, pasted, or chosen. */
export interface DroppedFile {
  readonly name: string;
  readonly mimeType: string;
  /** Size in bytes. */
  size(): Promise<number>;
  content(): Promise<Uint8Array>;
}

const URI_LIST = 'text/uri-list';
const WEB = ['http', 'https'];

/** Types of content that can contain files. */
export const FILE_TYPES: readonly string[] = ['image/*', 'files', URI_LIST];

/** Returns the files in dropped or pasted content: those with content, otherwise those that an address names. */
export async function filesIn(transfer: vscode.DataTransfer): Promise<readonly DroppedFile[]> {
  const found: DroppedFile[] = [];
  for (const [type, item] of transfer) {
    const file = item.asFile();
    if (file) found.push(fileOf(file, type));
  }
  if (found.length > 0) return found;
  const list = await transfer.get(URI_LIST)?.asString();
  return addressesIn(list ?? '').map(fileAt);
}

/** Returns the addresses of files in a list of addresses. An address on the web is not a file. */
function addressesIn(list: string): readonly vscode.Uri[] {
  return list
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      try {
        const uri = vscode.Uri.parse(line, true);
        return WEB.includes(uri.scheme) ? [] : [uri];
      } catch {
        return [];
      }
    });
}

export function fileAt(uri: vscode.Uri): DroppedFile {
  const name = path.posix.basename(uri.path);
  return {
    name,
    mimeType: mimeTypeOf(name),
    size: async () => (await vscode.workspace.fs.stat(uri)).size,
    content: async () => vscode.workspace.fs.readFile(uri),
  };
}

function fileOf(file: vscode.DataTransferFile, type: string): DroppedFile {
  const { uri, name } = file;
  const mimeType = type.startsWith('image/') ? type : mimeTypeOf(name);
  if (uri) return { ...fileAt(uri), mimeType };
  let reading: Thenable<Uint8Array> | undefined;
  const content = async () => await (reading ??= file.data());
  return { name, mimeType, content, size: async () => (await content()).length };
}
