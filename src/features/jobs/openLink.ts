import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { ApiError } from '../../client/apiError.ts';
import { confirmed } from '../../kit/messages.ts';
import { withProgress } from '../../kit/progress.ts';
import { UserError } from '../../kit/userError.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import type { EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import { checkJobStatus } from './actions/readJob.ts';
import { showJobDocument } from './results/showJobDocument.ts';
import { actionServices, type JobServices } from './jobServices.ts';
import { goneError } from './view/openResult.ts';
import { parseLink, type Link, linkedConnection } from './model/link.ts';

/** Opens an endpoint or a job. @throws UserError if the address is not a link, or as `openLink` */
export async function openUri(services: JobServices, uri: vscode.Uri): Promise<void> {
  const link = parseLink(uri);
  if (!link) throw new UserError(l10n.t('it names neither an endpoint nor a job'));
  await openLink(services, link);
}

/**
 * Selects the endpoint of a link in its view, or opens the document of its job. Asks before it switches the connection.
 *
 * @throws UserError if no connection fits, or the platform does not have the endpoint or the job
 */
async function openLink(services: JobServices, link: Link): Promise<void> {
  if (!(await useConnectionOf(services, link))) return;
  const { profile } = requireConnection(services.connections);
  const snapshot = await withProgress(
    { title: l10n.t('Reading the endpoints…'), location: { viewId: 'cloudCompute.endpoints' } },
    () => endpointOf(services, link),
  );
  if (link.jobId === undefined) {
    await services.endpointReveal.reveal({ kind: 'endpoint', endpointId: snapshot.endpoint.id });
    return;
  }
  await openJob(services, profile.id, snapshot, link.jobId);
}

/** Makes the connection of a link the current one. Returns false if the user declines. */
async function useConnectionOf({ connections }: JobServices, link: Link): Promise<boolean> {
  await connections.load();
  const current = connections.profile?.id;
  const id = linkedConnection(link, { current, hosted: connections.hosted });
  const target = id === undefined ? undefined : connections.find(id);
  if (!target) {
    if (link.platform === undefined) requireConnection(connections);
    throw new UserError(l10n.t`no connection leads to the platform of the link, ${platformWords(link)}`, {
      label: l10n.t('Connect to a Platform'),
      command: 'cloudCompute.connect',
    });
  }
  if (target.id === current) return true;
  const question = l10n.t`Switch to the connection “${target.name}”?`;
  const detail = l10n.t('The link belongs to this connection. All windows switch to it.');
  if (!(await confirmed(question, detail, l10n.t('Switch')))) return false;
  await connections.select(target.id);
  return true;
}

function platformWords({ platform = '', team }: Link): string {
  return team === undefined ? platform : l10n.t`${platform} with the team ${team}`;
}

async function endpointOf({ connections, endpoints }: JobServices, { endpointId }: Link): Promise<EndpointSnapshot> {
  const { profile } = requireConnection(connections);
  if (!endpoints.find(endpointId)) await endpoints.refresh();
  const found = endpoints.find(endpointId);
  if (found) return found;
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
  throw new UserError(l10n.t`“${profile.name}” has no endpoint with the ID ${endpointId}`, {
    label: l10n.t('Switch Connection'),
    command: 'cloudCompute.connections.switch',
  });
}

async function openJob(
  services: JobServices,
  connectionId: string,
  { endpoint }: EndpointSnapshot,
  jobId: string,
): Promise<void> {
  const connected = actionServices(services, connectionId);
  try {
    await checkJobStatus({ endpointId: endpoint.id, endpointName: endpoint.name, jobId }, connected);
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
    throw new UserError(goneError({ id: jobId, endpointName: endpoint.name }, connected.profile).shown, {
      label: l10n.t('Open Recent Job…'),
      command: 'cloudCompute.jobs.openRecent',
    });
  }
  await showJobDocument(services.documents, { connectionId, endpointId: endpoint.id, jobId });
}
