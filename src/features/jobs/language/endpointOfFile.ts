import type * as vscode from 'vscode';
import { shown } from '../../../vscode/text/shownText.ts';
import { UserError } from '../../../vscode/userError.ts';
import { requireConnection } from '../../connections/requireConnection.ts';
import { isQueue, type EndpointSnapshot } from '../../endpoints/endpointSnapshot.ts';
import { chooseEndpoint } from '../chooseEndpoint.ts';
import type { JobServices } from '../runJob.ts';
import type { JobSchemas } from './jobSchemas.ts';

export interface JobFileTarget {
  readonly uri: vscode.Uri;
  /** Member `endpoint` of the file. */
  readonly endpoint: string | undefined;
}

/**
 * Returns the queue endpoint that a job file runs on: the one that the file names, otherwise the one of its manifest, otherwise the only one
 * or one that the user picks.
 *
 * @throws UserError if the connection has no endpoint with the name or ID in the file
 */
export async function endpointOfFile(
  services: Pick<JobServices, 'connections' | 'endpoints' | 'history'>,
  schemas: JobSchemas,
  { uri, endpoint }: JobFileTarget,
): Promise<EndpointSnapshot | undefined> {
  const { connections, endpoints, history } = services;
  const { profile } = requireConnection(connections);
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
  const named = (name: string) =>
    endpoints.endpoints.filter(
      (one) => isQueue(one.endpoint) && !one.deleting && (one.endpoint.name === name || one.endpoint.id === name),
    );
  const wanted = endpoint ?? (await schemas.manifestOf(uri, undefined))?.name;
  const found = wanted === undefined ? [] : named(wanted);
  if (found.length === 1) return found[0];
  if (endpoint !== undefined && found.length === 0)
    throw new UserError(shown`“${profile.name}” has no queue endpoint “${endpoint}”`);
  return chooseEndpoint(services, undefined, history.recent(profile.id)[0]?.endpointId);
}
