import * as vscode from 'vscode';
import { withSafeErrors } from './safeErrors.ts';
import { markdownString } from './tooltips.ts';
import type { Markdown } from './text/markdown.ts';

/** Registers a provider of documents. Errors of reading and saving are safe to show, because the editor shows them. */
export function registerFiles(
  scheme: string,
  files: vscode.FileSystemProvider,
  whyReadonly?: Markdown,
): vscode.Disposable {
  return vscode.workspace.registerFileSystemProvider(scheme, withSafeErrors(files), {
    isCaseSensitive: true,
    ...(whyReadonly && { isReadonly: markdownString(whyReadonly) }),
  });
}
