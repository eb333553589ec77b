import * as vscode from 'vscode';
import type { DocumentShell } from '../../kit/documents/documentShell.ts';
import type { ShownTree, TreeShell } from '../../kit/trees.ts';
import { fileSchemes } from '../../kit/fileSchemes.ts';
import { isManifest } from '../manifest/index.ts';
import type { JobNode } from './view/jobList.ts';

/** Returns whether a file is a job file. */
export function isJobFile({ scheme, path }: vscode.Uri): boolean {
  return fileSchemes.includes(scheme) && path.endsWith('.job.json');
}

/** Returns whether a document is a manifest that contains an input schema or names one. */
export function hasInputSchema(document: vscode.TextDocument): boolean {
  return (
    isManifest(document) &&
    vscode.workspace.getWorkspaceFolder(document.uri) !== undefined &&
    document.getText().includes('inputSchema')
  );
}

/** Documents and views that are registered before the code of jobs is loaded. */
export interface JobShells {
  readonly results: DocumentShell;
  readonly views: DocumentShell;
  readonly tree: TreeShell<JobNode>;
  readonly shown: ShownTree<JobNode>;
}
