import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../../kit/userError.ts';
import { pick, type PickOptions } from '../../kit/quickInput.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Showable } from '../../text/shownText.ts';
import { selectedRows } from '../../kit/selectedRows.ts';
import { requireConnection } from '../connections/requireConnection.ts';
import type { AccountServices } from '../accountServices.ts';
import { compareNames } from './arrangement.ts';
import { isEndpointNode, type EndpointNode } from './endpointNode.ts';
import type { EndpointSnapshot } from './endpointSnapshot.ts';

/** ID of the endpoints view. */
const ENDPOINTS_VIEW = 'cloudCompute.endpoints';

type Sources = Pick<AccountServices, 'connections' | 'endpoints'>;

/** The list in which the user picks an endpoint. */
export interface EndpointList {
  readonly title?: Showable;
  /** Returns whether the list has an endpoint. Default: it has all of them. */
  readonly accepts?: (endpoint: Endpoint) => boolean;
  /** Returns the error if the list is empty. */
  readonly none?: () => UserError;
  /** ID of the endpoint that was used last. */
  readonly usedLast?: string | undefined;
}

/**
 * Returns the endpoints that a command acts on: those of the selected rows, that of the clicked row, or one that the user picks.
 *
 * @param args arguments of the command: the clicked row and all selected rows
 */
export async function chosenEndpoints(
  services: Sources,
  args: readonly unknown[],
  placeholder: Showable,
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
  const picked = await pickEndpoint(await candidates(services), { placeholder });
  return picked ? [picked] : [];
}

/** Like `chosenEndpoints`, for commands that act on a single endpoint. The only endpoint is not asked for. */
export async function chosenEndpoint(
  services: Sources,
  args: readonly unknown[],
  placeholder: Showable,
  list: EndpointList = {},
): Promise<EndpointSnapshot | undefined> {
  const one = args.slice(0, 1);
  if (chosenNodes(one).length > 0) return (await chosenEndpoints(services, one, placeholder))[0];
  const found = await candidates(services, list);
  return found.length > 1 ? pickEndpoint(found, { ...list, placeholder }) : found[0];
}

/** Returns the endpoints and workers among the rows that a command acts on. */
export function chosenNodes([node, selected]: readonly unknown[]): readonly EndpointNode[] {
  const several = Array.isArray(selected) ? selected.filter(isEndpointNode) : [];
  if (several.length > 0) return several;
  return isEndpointNode(node) ? [node] : [];
}

async function pickEndpoint(
  found: readonly EndpointSnapshot[],
  texts: PickOptions,
): Promise<EndpointSnapshot | undefined> {
  const items = found.map((snapshot) => ({
    label: snapshot.endpoint.name,
    description: snapshot.endpoint.id,
    snapshot,
  }));
  return (await pick(items, texts))?.snapshot;
}

/** Reads the endpoints that the user can choose. The most likely ones are first. @throws UserError if there are none */
async function candidates(
  { connections, endpoints }: Sources,
  { accepts = () => true, none = noEndpoints, usedLast }: EndpointList = {},
): Promise<readonly EndpointSnapshot[]> {
  requireConnection(connections);
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
  const found = endpoints.endpoints.filter(({ endpoint, deleting }) => !deleting && accepts(endpoint));
  if (found.length === 0) throw none();
  return ranked(found, usedLast);
}

function noEndpoints(): UserError {
  return new UserError(l10n.t('there are no endpoints yet'), {
    label: l10n.t('Create Endpoint'),
    command: 'cloudCompute.manifest.createEndpoint',
  });
}

/** Sorts endpoints for a list: those of the selected rows, those with the name of the active file, the one that was used last, all others. */
export function ranked(found: readonly EndpointSnapshot[], usedLast?: string): readonly EndpointSnapshot[] {
  const selected = new Set(selectedRows(ENDPOINTS_VIEW).flatMap((row) => (isEndpointNode(row) ? row.endpointId : [])));
  const { path } = vscode.window.activeTextEditor?.document.uri ?? { path: '' };
  const [, file] = /([^/]+?)\.(?:endpoint|job)\.\w+$/.exec(path) ?? [];
  const rank = ({ endpoint: { id, name } }: EndpointSnapshot): number =>
    [selected.has(id), name === file, id === usedLast, true].indexOf(true);
  return found.toSorted((a, b) => rank(a) - rank(b) || compareNames(a.endpoint.name, b.endpoint.name));
}
