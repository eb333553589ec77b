import * as l10n from '@vscode/l10n';
import { UserError } from '../../kit/userError.ts';
import { pick } from '../../kit/quickInput.ts';
import { requireConnection } from '../connections/requireConnection.ts';
import type { AccountServices } from '../accountServices.ts';
import { compareNames } from './arrangement.ts';
import { isEndpointNode, type EndpointNode } from './endpointNode.ts';
import type { EndpointSnapshot } from './endpointSnapshot.ts';

type Sources = Pick<AccountServices, 'connections' | 'endpoints'>;

/**
 * Returns the endpoints that a command acts on: those of the selected rows, that of the clicked row, or one that the user picks.
 *
 * @param args arguments of the command: the clicked row and all selected rows
 */
export async function chosenEndpoints(
  services: Sources,
  args: readonly unknown[],
  placeholder: string,
): Promise<readonly EndpointSnapshot[]> {
  requireConnection(services.connections);
  const { endpoints } = services;
  const nodes = chosenNodes(args);
  if (nodes.length > 0) {
    const ids = [...new Set(nodes.map(({ endpointId }) => endpointId))];
    if (ids.some((id) => !endpoints.find(id))) await endpoints.refresh();
    const found = ids.flatMap((id) => endpoints.find(id) ?? []);
    if (found.length === 0) throw new UserError(l10n.t('the endpoint no longer exists'));
    return found;
  }
  const picked = await pickEndpoint(services, placeholder);
  return picked ? [picked] : [];
}

/** Like `chosenEndpoints`, for commands that act on a single endpoint. */
export async function chosenEndpoint(
  services: Sources,
  args: readonly unknown[],
  placeholder: string,
): Promise<EndpointSnapshot | undefined> {
  return (await chosenEndpoints(services, args.slice(0, 1), placeholder))[0];
}

/** Returns the endpoints and workers among the rows that a command acts on. */
export function chosenNodes([node, selected]: readonly unknown[]): readonly EndpointNode[] {
  const several = Array.isArray(selected) ? selected.filter(isEndpointNode) : [];
  if (several.length > 0) return several;
  return isEndpointNode(node) ? [node] : [];
}

async function pickEndpoint({ endpoints }: Sources, placeholder: string): Promise<EndpointSnapshot | undefined> {
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
  const items = endpoints.endpoints
    .filter(({ deleting }) => !deleting)
    .map((snapshot) => ({ label: snapshot.endpoint.name, description: snapshot.endpoint.id, snapshot }))
    .sort((a, b) => compareNames(a.label, b.label));
  if (items.length === 0)
    throw new UserError(l10n.t('there are no endpoints yet'), {
      label: l10n.t('Create Endpoint'),
      command: 'cloudCompute.manifest.createEndpoint',
    });
  return (await pick(items, { placeholder }))?.snapshot;
}
