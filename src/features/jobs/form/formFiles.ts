import path from 'node:path';
import * as vscode from 'vscode';
import type {
  JobFormField,
  JobFormFile,
  JobFormPath,
  JobFormSimpleControl,
} from '../../../webviews/jobForm/messages.ts';
import { dataSize } from '../../../text/quantities.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown } from '../../../text/shownText.ts';
import { dataUrl, dataUrlLength, fitOf, mimeTypeOf } from '../model/dataUrl.ts';

/** A file for a value of an input. */
export interface FormFile {
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  readonly content: () => Promise<Uint8Array>;
}

/** Returns the control at a path of the input. */
function controlAt(fields: readonly JobFormField[], [name, ...rest]: JobFormPath): JobFormSimpleControl | undefined {
  const control = fields.find((field) => field.name === name)?.control;
  if (control?.kind === 'group') {
    const [member, ...others] = rest;
    const inner = control.members.find((one) => one.name === member)?.control;
    return inner?.kind === 'list' ? inner.item : others.length === 0 ? inner : undefined;
  }
  if (control?.kind === 'list') return control.item;
  return rest.length === 0 ? control : undefined;
}

/** Returns how the value at a path contains a file, or undefined if it cannot contain one. */
export function fileFormAt(fields: readonly JobFormField[], at: JobFormPath): JobFormFile | undefined {
  const control = controlAt(fields, at);
  return control?.kind === 'file' || control?.kind === 'text' ? control.file : undefined;
}

export async function fileAt(uri: vscode.Uri): Promise<FormFile> {
  const { size } = await vscode.workspace.fs.stat(uri);
  return {
    name: path.posix.basename(uri.path),
    size,
    content: async () => vscode.workspace.fs.readFile(uri),
  };
}

/**
 * Returns the value that contains a file. A file that is too large for a request is not read.
 *
 * @param rest size of the rest of the request, in bytes
 * @throws UserError if the request would be too large
 */
export async function valueOfFile({ name, size, content }: FormFile, form: JobFormFile, rest: number): Promise<string> {
  const mimeType = mimeTypeOf(name);
  const length = dataUrlLength(form === 'dataUrl' ? mimeType : '', size);
  const fit = fitOf(length, rest);
  if (!fit.fits)
    throw new UserError(
      shown`${name} has ${dataSize(length)} in the request, which can have at most ${dataSize(fit.limit)}`,
    );
  const bytes = await content();
  return form === 'dataUrl' ? dataUrl(mimeType, bytes) : Buffer.from(bytes).toString('base64');
}
