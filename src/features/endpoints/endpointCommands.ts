import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { UserError } from '../../vscode/errors.ts';
import type { Services } from '../services.ts';
import { isEndpointNode } from './endpointNode.ts';
import type { EndpointSnapshot } from './endpointStore.ts';

/** Palette and menu actions of the endpoints view. */
export function registerEndpointCommands(services: Services): vscode.Disposable {
  const { log, endpoints } = services;
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.endpoints.refresh', 'Could not refresh', () => endpoints.refresh()),
    registerCommand(log, 'cloudCompute.endpoints.delete', 'Could not delete the endpoint', (node) =>
      deleteEndpoint(services, node),
    ),
  );
}

async function deleteEndpoint({ endpoints, connections }: Services, node: unknown): Promise<void> {
  const { client } = connections;
  if (!client) throw new UserError('no platform is connected');
  const snapshot = isEndpointNode(node) ? endpoints.find(node.endpointId) : await pickEndpoint(endpoints.endpoints);
  if (!snapshot) return;
  const { endpoint, workers } = snapshot;
  const confirmed = await vscode.window.showWarningMessage(
    `Delete endpoint “${endpoint.name}”?`,
    {
      modal: true,
      detail: `Its ${workers?.summary.total ?? 0} workers are stopped and its jobs are cancelled. This cannot be undone.`,
    },
    'Delete',
  );
  if (confirmed === 'Delete') await endpoints.delete(client, endpoint.id);
}

async function pickEndpoint(snapshots: readonly EndpointSnapshot[]): Promise<EndpointSnapshot | undefined> {
  if (snapshots.length === 0) throw new UserError('there are no endpoints');
  const items = snapshots.map((snapshot) => ({
    label: snapshot.endpoint.name,
    description: snapshot.endpoint.id,
    snapshot,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder: 'Endpoint to delete' }))?.snapshot;
}
