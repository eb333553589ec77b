import * as vscode from 'vscode';
import { withSafeErrors } from './safeErrors.ts';
import { markdownString } from './tooltips.ts';
import type { Markdown } from './text/markdown.ts';

/** Registers a file system provider. Its errors are made safe to show, because the editor shows them. */
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
