import * as l10n from '@vscode/l10n';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { pick } from '../../../kit/quickInput.ts';
import { UserError, type Remedy } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { chosenNodes } from '../../../account/endpoints/chosenEndpoints.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { workerDirectory } from '../../../account/endpoints/workerProcess.ts';

/* Endpoints of the local platform, and those whose workers run as processes on this machine. */

type Sources = Pick<AccountServices, 'connections' | 'endpoints'>;

const switchConnection = (): Remedy => ({
  label: l10n.t('Switch Connection'),
  command: 'cloudCompute.connections.switch',
});

/**
 * Returns the endpoint of the clicked row, or one that the user chooses.
 *
 * @param args arguments of the command
 * @throws UserError if there is no such endpoint, or its workers are not processes of this machine
 */
export async function chosenProcess(
  services: Sources,
  args: readonly unknown[],
  placeholder: string,
): Promise<Endpoint | undefined> {
  await refreshed(services);
  const [node] = chosenNodes(args);
  if (node) return checkedProcess(existing(services.endpoints.find(node.endpointId)?.endpoint));
  const found = endpointsOf(services).filter((endpoint) => workerDirectory(endpoint) !== undefined);
  return pickOf(found, placeholder, l10n.t('no endpoint runs its workers as processes on this machine'));
}

/**
 * Returns the endpoint of the clicked row, or one that the user chooses, whatever runs its workers.
 *
 * @param args arguments of the command
 * @throws UserError if there is no endpoint
 */
export async function chosenWorkers(
  services: Sources,
  args: readonly unknown[],
  placeholder: string,
): Promise<Endpoint | undefined> {
  await refreshed(services);
  const [node] = chosenNodes(args);
  if (node) return existing(services.endpoints.find(node.endpointId)?.endpoint);
  return pickOf(endpointsOf(services), placeholder, l10n.t('the local platform has no endpoints'));
}

async function pickOf(
  endpoints: readonly Endpoint[],
  placeholder: string,
  none: string,
): Promise<Endpoint | undefined> {
  if (endpoints.length === 0) {
    throw new UserError(none, {
      label: l10n.t('Create Endpoint'),
      command: 'cloudCompute.manifest.createEndpoint',
    });
  }
  const items = endpoints.map((endpoint) => ({
    label: endpoint.name,
    description: workerDirectory(endpoint) ?? endpoint.image,
    endpoint,
  }));
  return items.length === 1 ? items[0]?.endpoint : (await pick(items, { placeholder }))?.endpoint;
}

/** Returns the endpoint with this ID or name. @throws UserError */
export async function namedWorkers(services: Sources, named: string): Promise<Endpoint> {
  await refreshed(services);
  const all = services.endpoints.endpoints.map(({ endpoint }) => endpoint);
  const found = all.find(({ id }) => id === named) ?? all.find(({ name }) => name === named);
  if (found) return found;
  throw new UserError(l10n.t`there is no endpoint “${named}”`, {
    label: l10n.t('Create Endpoint'),
    command: 'cloudCompute.manifest.createEndpoint',
  });
}

async function refreshed({ connections, endpoints }: Sources): Promise<void> {
  const { profile } = requireConnection(connections);
  if (profile.kind !== 'local') {
    throw new UserError(
      l10n.t(
        'a hosted platform offers no address for a debugger; run the worker on the local platform, and select Debug Worker there',
      ),
      switchConnection(),
    );
  }
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
}

function endpointsOf({ endpoints }: Sources): Endpoint[] {
  return endpoints.endpoints
    .filter(({ deleting }) => !deleting)
    .map(({ endpoint }) => endpoint)
    .sort((a, b) => a.name.localeCompare(b.name));
}

function existing(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint) throw new UserError(l10n.t('the endpoint no longer exists'));
  return endpoint;
}

function checkedProcess(endpoint: Endpoint): Endpoint {
  if (workerDirectory(endpoint) !== undefined) return endpoint;
  throw new UserError(
    l10n.t`the workers of “${endpoint.name}” run in containers; add an x-local section with a directory and a command to its manifest, to run them as processes`,
  );
}
