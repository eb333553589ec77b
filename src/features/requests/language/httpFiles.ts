import path from 'node:path';
import * as vscode from 'vscode';
import { fileSchemes } from '../../../kit/fileSchemes.ts';

export const HTTP_LANGUAGE = 'http';

export const httpSelector: vscode.DocumentSelector = fileSchemes.map((scheme) => ({ scheme, language: HTTP_LANGUAGE }));

/** Returns whether a document is an HTTP file. */
export function isHttpDocument({ uri, languageId }: Pick<vscode.TextDocument, 'uri' | 'languageId'>): boolean {
  return languageId === HTTP_LANGUAGE && fileSchemes.includes(uri.scheme);
}

/** Returns the HTTP files that are open in the editor. */
export function openHttpDocuments(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter((document) => !document.isClosed && isHttpDocument(document));
}

/** Returns the address of the file of a body. Undefined if the HTTP file has no folder. */
export function bodyFileUri({ scheme, ...uri }: vscode.Uri, file: string): vscode.Uri | undefined {
  const isAbsolute = path.isAbsolute(file);
  if (scheme === 'untitled' && !isAbsolute && !path.posix.isAbsolute(uri.path)) return undefined;
  const local = scheme === 'untitled' ? 'file' : scheme;
  if (isAbsolute && local === 'file') return vscode.Uri.file(file);
  const target = path.posix.isAbsolute(file) ? file : path.posix.join(path.posix.dirname(uri.path), file);
  return vscode.Uri.from({ scheme: local, authority: uri.authority, path: target });
}
