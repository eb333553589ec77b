import * as vscode from 'vscode';

/**
 * Schemes of documents that the user edits: those of files, and those of the folders of the workspace, which extensions can provide. They
 * exclude documents such as old versions that source control shows, responses, and output channels.
 */
export const fileSchemes: readonly string[] = [
  ...new Set([
    ...['file', 'untitled', 'vscode-vfs'],
    // The editor starts the extensions again when the first folder of a workspace changes.
    ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.scheme),
  ]),
];
