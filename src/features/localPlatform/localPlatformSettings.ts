import path from 'node:path';
import * as vscode from 'vscode';

/* Settings of the local platform, which are read at each start. */

const settings = () => vscode.workspace.getConfiguration('cloudCompute.localPlatform');

/** Returns the data directory of the platform: the one in the settings, or one in the extension's storage. */
export function dataDirectory({ globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>): string {
  const chosen = settings().get<string>('dataDirectory', '');
  return chosen === '' ? path.join(globalStorageUri.fsPath, 'platform') : chosen;
}

/** Returns the port of the platform. 0 selects a free port. */
export function port(): number {
  return settings().get<number>('port', 0);
}
