import * as vscode from 'vscode';
import { isEndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { isJobFile } from '../jobShells.ts';
import type { JobServices } from '../run/jobServices.ts';
import { jobNodesIn } from '../view/jobNode.ts';
import { copyJobFileAs } from './copyJobFileAs.ts';
import { copyEndpointsAs, copyJobsAs } from './copyRowsAs.ts';

/** Copies the request of a CodeLens, or the one at the cursor, as code. */
export type CopyRequest = (uri: unknown, index: unknown) => Promise<void>;

/** Copies endpoints, jobs, a job file, or a request in a form that the user chooses. */
export async function copyAs(services: JobServices, copyRequest: CopyRequest, args: readonly unknown[]): Promise<void> {
  const [first, index] = args;
  if (jobNodesIn(args).length > 0) return copyJobsAs(services, args);
  if (isEndpointNode(first)) return copyEndpointsAs(services, args);
  const document = vscode.window.activeTextEditor?.document;
  const uri = first instanceof vscode.Uri ? first : document?.uri;
  if (uri && isJobFile(uri)) return copyJobFileAs(services, uri);
  if (first instanceof vscode.Uri || document?.languageId === 'http') return copyRequest(first, index);
  return copyEndpointsAs(services, args);
}
