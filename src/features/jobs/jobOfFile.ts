import type * as vscode from 'vscode';
import type { EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import type { JobRequest } from '../../contract/job.ts';
import { endpointOfFile } from './chooseEndpoint.ts';
import { readJobFileFrom } from './jobFiles.ts';
import type { JobServices } from './jobServices.ts';

/**
 * Reads a job file, including unsaved changes, and finds its endpoint. Undefined if the user dismissed the list of endpoints.
 *
 * @throws UserError if the file is invalid, belongs to an untrusted workspace, or names an endpoint that does not exist
 */
export async function jobOfFile(
  services: Pick<JobServices, 'connections' | 'endpoints' | 'history' | 'manifests'>,
  uri: vscode.Uri,
): Promise<{ readonly body: JobRequest; readonly snapshot: EndpointSnapshot } | undefined> {
  const { file, body } = await readJobFileFrom(uri);
  const snapshot = await endpointOfFile(services, { uri, endpoint: file.endpoint });
  return snapshot && { body, snapshot };
}
