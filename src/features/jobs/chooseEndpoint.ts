import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { UserError } from '../../kit/userError.ts';
import type { PickOptions } from '../../kit/quickInput.ts';
import { shown } from '../../text/shownText.ts';
import { chosenEndpoint } from '../../account/endpoints/chosenEndpoints.ts';
import { isQueue, endpointsNamed, type EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import type { JobServices } from './jobServices.ts';
import type { JobRequest } from '../../contract/job.ts';
import { readJobFileFrom } from './jobFiles.ts';

/**
 * Returns the queue endpoint that a command acts on: the one of the clicked row, the only one, or one that the user picks.
 *
 * @param usedLast ID of the endpoint of the last job
 */
export async function chooseEndpoint(
  services: Pick<AccountServices, 'connections' | 'endpoints'>,
  argument: unknown,
  usedLast: string | undefined,
  { title, placeholder }: Required<PickOptions> = {
    title: l10n.t('Run Job'),
    placeholder: l10n.t('Endpoint to run the job on'),
  },
): Promise<EndpointSnapshot | undefined> {
  const found = await chosenEndpoint(services, [argument], placeholder, {
    ...{ title, usedLast, accepts: isQueue },
    none: () =>
      new UserError(l10n.t('there is no queue endpoint yet'), {
        label: l10n.t('Create Endpoint'),
        command: 'cloudCompute.manifest.createEndpoint',
      }),
  });
  if (found && !isQueue(found.endpoint))
    throw new UserError(shown`“${found.endpoint.name}” is load-balanced: it takes HTTP requests, not jobs`);
  return found;
}

interface JobFileTarget {
  readonly uri: vscode.Uri;
  /** Member `endpoint` of the file. */
  readonly endpoint: string | undefined;
}

/**
 * Returns the queue endpoint that a job file runs on: the one that the file names, otherwise the one of its manifest, otherwise the only one
 * or one that the user picks. Undefined if the user dismissed the picker.
 *
 * @throws UserError if the endpoint in the file does not exist or takes no jobs
 */
export async function endpointOfFile(
  services: Pick<JobServices, 'connections' | 'endpoints' | 'history' | 'manifests'>,
  { uri, endpoint: wanted }: JobFileTarget,
): Promise<EndpointSnapshot | undefined> {
  const { connections, endpoints, history, manifests } = services;
  const { profile } = requireConnection(connections);
  // The endpoints have not been read if the view has not been visible yet.
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
  const known = endpoints.endpoints.filter(({ deleting }) => !deleting).map(({ endpoint }) => endpoint);
  const named = (name: string) => endpointsNamed(name, known);
  if (wanted !== undefined && !named(wanted).some(isQueue))
    throw refusal(wanted, profile.name, named(wanted).length > 0);
  const name = wanted ?? (await manifests.manifestOf(uri, undefined))?.name;
  const [found, ...others] = name === undefined ? [] : named(name).filter(isQueue);
  if (found && others.length === 0) return endpoints.find(found.id);
  return chooseEndpoint(services, undefined, history.recent(profile.id)[0]?.endpointId);
}

function refusal(wanted: string, connection: string, isBalanced: boolean): UserError {
  if (isBalanced)
    return new UserError(shown`“${wanted}” is load-balanced: it takes HTTP requests, not jobs`, {
      label: l10n.t('New Request File…'),
      command: 'cloudCompute.routes.newFile',
    });
  return new UserError(shown`there is no endpoint “${wanted}” on “${connection}”`, {
    label: l10n.t('Create Endpoint'),
    command: 'cloudCompute.manifest.createEndpoint',
  });
}

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
