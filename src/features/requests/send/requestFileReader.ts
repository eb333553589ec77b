import type * as vscode from 'vscode';
import type { RequestFiles } from '../actions/requestBody.ts';
import type { ResolveContext } from '../model/context.ts';
import type { HttpFile } from '../model/httpFile.ts';

/** An HTTP file whose requests can be sent on the current connection. */
export interface ReadRequestFile {
  readonly file: HttpFile;
  readonly context: ResolveContext;
  /** Files that its requests refer to. */
  readonly files: RequestFiles;
}

/** Reads an HTTP file, including unsaved changes. @throws UserError if the file belongs to an untrusted workspace */
export type RequestFileReader = (uri: vscode.Uri) => Promise<ReadRequestFile>;
