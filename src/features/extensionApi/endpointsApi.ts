import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EndpointInfo, EndpointsApi } from '../../api/cloudCompute.d.ts';
import { requireConnection } from '../connections/requireConnection.ts';
import type { EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';
import type { Services } from '../services.ts';
import { ApiFailure, calling } from './apiFailure.ts';

type Sources = Pick<Services, 'connections' | 'endpoints' | 'endpointReveal'>;

/** Lists and shows endpoints for other extensions. The second value ends the events. */
export function endpointsApi(services: Sources): readonly [EndpointsApi, vscode.Disposable] {
  const { endpoints, endpointReveal } = services;
  const changed = new vscode.EventEmitter<void>();
  const subscription = endpoints.onDidChange(() => changed.fire());
  const api: EndpointsApi = {
    onDidChange: changed.event,
    list: () =>
      calling(l10n.t('Could not read the endpoints'), async () => {
        await readAll(services);
        return endpoints.endpoints.filter(({ deleting }) => !deleting).map(infoOf);
      }),
    reveal: (endpointId) =>
      calling(l10n.t('Could not show the endpoint'), async () => {
        await endpointWith(services, endpointId);
        await endpointReveal.reveal({ kind: 'endpoint', endpointId });
      }),
  };
  return [api, vscode.Disposable.from(subscription, changed)];
}

/** Returns an endpoint of the current connection. @throws ApiFailure with the code `notFound` */
export async function endpointWith(services: Sources, endpointId: string): Promise<EndpointSnapshot> {
  const { endpoints } = services;
  if (!endpoints.find(endpointId)) await readAll(services);
  const found = endpoints.find(endpointId);
  if (!found) throw new ApiFailure('notFound', l10n.t`There is no endpoint with the ID ${endpointId}.`);
  return found;
}

async function readAll({ connections, endpoints }: Sources): Promise<void> {
  await connections.load();
  requireConnection(connections);
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
}

function infoOf({ endpoint }: EndpointSnapshot): EndpointInfo {
  const { id, name, type = 'QUEUE', workers } = endpoint;
  return { id, name, type, workers: { min: workers.min, max: workers.max } };
}
