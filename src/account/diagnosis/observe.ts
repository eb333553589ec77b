import type { Client } from '../../client/client.ts';
import type { EndpointStore } from '../endpoints/endpointStore.ts';
import type { readAlternatives } from '../hardware/readHardwareStock.ts';
import { lacksHardware } from './diagnose.ts';
import { readObstacle, type Machine } from './obstacle.ts';
import { readRelevantLogs } from './readRelevantLogs.ts';
import type { Observations } from './diagnosis.ts';

export interface ObserveServices extends Machine {
  readonly endpoints: EndpointStore;
  readonly connections: {
    readonly client: Client | undefined;
    readonly profile: { readonly kind: 'local' | 'hosted' } | undefined;
  };
}

/**
 * Reads the current state of an endpoint and the logs of failing and starting workers. Resolves with undefined if the endpoint
 * no longer exists.
 */
export async function observe(
  services: ObserveServices,
  endpointId: string,
  signal?: AbortSignal,
): Promise<Observations | undefined> {
  const { endpoints, connections, clock } = services;
  await endpoints.refreshOne(endpointId);
  const snapshot = endpoints.find(endpointId);
  const { client, profile } = connections;
  if (!snapshot || !client) return undefined;
  const platform = profile?.kind ?? 'hosted';
  const [logs, obstacle, alternatives] = await Promise.all([
    readRelevantLogs(client, snapshot, signal),
    readObstacle(services, snapshot.endpoint, signal),
    lacksHardware(snapshot, platform) ? alternativesOf(client, snapshot.endpoint, signal) : undefined,
  ]);
  return { snapshot, logs, obstacle, platform, alternatives, now: clock.now() };
}

async function alternativesOf(...args: Parameters<typeof readAlternatives>): ReturnType<typeof readAlternatives> {
  const module = await import('../hardware/readHardwareStock.ts');
  return module.readAlternatives(...args);
}
