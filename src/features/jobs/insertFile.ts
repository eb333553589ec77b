import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { dropEdit, pasteEdit } from '../../kit/proposals.ts';
import { showMessage } from '../../kit/messages.ts';
import { shown, type ShownText } from '../../text/shownText.ts';
import { dataSize } from '../../text/quantities.ts';
import { UserError } from '../../kit/userError.ts';
import { jobFileSelector } from './jobFiles.ts';
import { mimeTypeOf, dataUrl, dataUrlLength, fitOf } from './model/dataUrl.ts';
import { insertedStrings } from './model/insertion.ts';
import { isJobFile } from './jobShells.ts';

/** Registers the insertion of files as data URLs into job files by drop and by paste. */
export function registerInsertFile(): vscode.Disposable {
  const kind = vscode.DocumentDropOrPasteEditKind.Empty.append('cloudCompute', 'dataUrl');
  const { languages } = vscode;
  return vscode.Disposable.from(
    languages.registerDocumentDropEditProvider(
      jobFileSelector,
      {
        provideDocumentDropEdits: async (document, position, transfer, token) => {
          const found = await insertion(document, new vscode.Range(position, position), transfer, token);
          return found && dropEdit(found.label, kind, found.text);
        },
      },
      { dropMimeTypes: FILE_TYPES, providedDropEditKinds: [kind] },
    ),
    languages.registerDocumentPasteEditProvider(
      jobFileSelector,
      {
        provideDocumentPasteEdits: async (document, [range], transfer, _, token) => {
          const found = range && (await insertion(document, range, transfer, token));
          return found && [pasteEdit(found.label, kind, found.text)];
        },
      },
      { pasteMimeTypes: FILE_TYPES, providedPasteEditKinds: [kind] },
    ),
  );
}

interface Insertion {
  readonly text: string;
  readonly label: string;
}

/** Returns the insertion of dropped or pasted files. Shows a message if they are too large or unreadable. */
async function insertion(
  document: vscode.TextDocument,
  range: vscode.Range,
  transfer: vscode.DataTransfer,
  token: vscode.CancellationToken,
): Promise<Insertion | undefined> {
  const files = await filesIn(transfer);
  if (files.length === 0 || token.isCancellationRequested) return undefined;
  const found = await dataUrlText(document, range, files);
  if (found.problem === undefined) return found;
  if (found.code !== 'noPlace') void showMessage('warning', shown`${found.problem}.`);
  return undefined;
}

/** A file that was dropped, pasted, or chosen. */
interface DroppedFile {
  readonly name: string;
  readonly mimeType: string;
  /** Size in bytes. */
  size(): Promise<number>;
  content(): Promise<Uint8Array>;
}

const URI_LIST = 'text/uri-list';
const WEB = ['http', 'https'];

/** Types of content that can contain files. */
const FILE_TYPES: readonly string[] = ['image/*', 'files', URI_LIST];

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

/** Inserts files that the user chooses into the active job file, as data URLs. */
export async function insertChosenFile(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isJobFile(editor.document.uri))
    throw new UserError(l10n.t('no job file is open in the active editor'));
  const chosen = await vscode.window.showOpenDialog({
    canSelectMany: true,
    openLabel: l10n.t('Insert'),
    title: l10n.t('Insert File as Data URL'),
  });
  if (chosen && chosen.length > 0) await insertFiles(editor, chosen.map(fileAt));
}

async function insertFiles(editor: vscode.TextEditor, files: readonly DroppedFile[]): Promise<void> {
  const { document, selection } = editor;
  const found = await dataUrlText(document, selection, files);
  if (found.problem !== undefined) throw new UserError(found.problem);
  await editor.edit((edit) => edit.replace(selection, found.text));
}

/** The text that inserts files, or the reason why they cannot be inserted. */
type DataUrlText =
  | { readonly text: string; readonly label: string; readonly problem?: undefined }
  | { readonly code: 'tooLarge' | 'noPlace' | 'unreadable'; readonly problem: ShownText };

/** Returns the text that replaces a range of a job file by files as data URLs. Reads no file that is too large. */
export async function dataUrlText(
  document: vscode.TextDocument,
  range: vscode.Range,
  files: readonly DroppedFile[],
): Promise<DataUrlText> {
  const text = document.getText();
  const span = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
  const values = files.map(({ mimeType }) => ({ text: '', member: memberName(mimeType) }));
  if (insertedStrings(text, span, values) === undefined)
    return { code: 'noPlace', problem: shown`A file can only be inserted as a value in the JSON` };
  try {
    const lengths = await Promise.all(files.map(async (file) => dataUrlLength(file.mimeType, await file.size())));
    const length = lengths.reduce((sum, one) => sum + one, 0);
    const rest = Buffer.byteLength(text) - Buffer.byteLength(text.slice(span.start, span.end));
    const fit = fitOf(length, rest);
    if (!fit.fits) {
      const words = shown`As a data URL, ${nameOf(files)} has ${dataSize(length)}. A request can have at most ${dataSize(fit.limit)}`;
      return { code: 'tooLarge', problem: words };
    }
    const urls = await Promise.all(
      files.map(async (file) => ({
        text: dataUrl(file.mimeType, await file.content()),
        member: memberName(file.mimeType),
      })),
    );
    return { text: insertedStrings(text, span, urls) ?? '', label: fit.label };
  } catch (error) {
    return { code: 'unreadable', problem: shown`${nameOf(files)} cannot be read: ${(error as Error).message}` };
  }
}

function nameOf(files: readonly DroppedFile[]): string {
  const [first] = files;
  return files.length === 1 && first ? first.name : l10n.t`${files.length} files`;
}

/** Returns the name for a new member with a file. */
function memberName(mimeType: string): string {
  const [kind = ''] = mimeType.split('/');
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'file';
}
