import type * as vscode from 'vscode';
import type { DocumentShell } from '../../kit/documents/documentShell.ts';
import type { ShownTree, TreeShell } from '../../kit/trees.ts';
import { fileSchemes } from '../../kit/fileSchemes.ts';
import type { JobNode } from './view/jobList.ts';

/** Returns whether a file is a job file. */
export function isJobFile({ scheme, path }: vscode.Uri): boolean {
  return fileSchemes.includes(scheme) && path.endsWith('.job.json');
}

/** Documents and views that are registered before the code of jobs is loaded. */
export interface JobShells {
  readonly results: DocumentShell;
  readonly views: DocumentShell;
  readonly tree: TreeShell<JobNode>;
  readonly shown: ShownTree<JobNode>;
}
