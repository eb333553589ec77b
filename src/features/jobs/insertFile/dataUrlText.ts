import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { dataUrl, dataUrlLength, fitOf } from '../model/dataUrl.ts';
import { insertedStrings } from '../model/insertion.ts';
import { dataSize } from '../../../text/quantities.ts';
import type { DroppedFile } from './droppedFiles.ts';

/** The text that inserts files, or the reason why they cannot be inserted. */
export type DataUrlText =
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
