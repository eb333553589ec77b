import * as vscode from 'vscode';
import { withSafeErrors } from './safeErrors.ts';

/** Registers a file system whose names have upper and lower case. The editor shows its errors. */
export function registerFileSystem(scheme: string, provider: vscode.FileSystemProvider): vscode.Disposable {
  return vscode.workspace.registerFileSystemProvider(scheme, withSafeErrors(provider), { isCaseSensitive: true });
}
