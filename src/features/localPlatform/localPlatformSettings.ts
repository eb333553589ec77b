import path from 'node:path';
import * as vscode from 'vscode';

/* Settings of the local platform; asked at each start, since they may have changed. */

const settings = () => vscode.workspace.getConfiguration('cloudCompute.localPlatform');

/** Where the platform keeps everything: the directory a person chose, or one in the extension's own storage. */
export function dataDirectory({ globalStorageUri }: vscode.ExtensionContext): string {
  const chosen = settings().get<string>('dataDirectory', '');
  return chosen === '' ? path.join(globalStorageUri.fsPath, 'platform') : chosen;
}

/** 0 takes a free one. */
export function port(): number {
  return settings().get<number>('port', 0);
}
