import * as vscode from 'vscode';
import { withSafeErrors } from './safeErrors.ts';
import type { Markdown } from './text/markdown.ts';
import { markdownString } from './tooltips.ts';

/** Base class of file systems for the extension's documents. They have no folders, and files cannot be created, deleted, or renamed. */
export abstract class DocumentFiles {
  /** Does nothing, because change events are sent for every document, watched or not. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

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
