import * as vscode from 'vscode';
import { withSafeErrors } from './safeErrors.ts';
import { markdownString } from './tooltips.ts';
import type { Markdown } from './text/markdown.ts';

/** Registers documents of ours. What reading or saving one throws ends up in a notification. */
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
