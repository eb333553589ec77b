import type { Client } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import type { EndpointStore } from '../endpoints/endpointStore.ts';
import { readRelevantLogs } from './readRelevantLogs.ts';
import type { Observations } from './diagnosis.ts';

export interface ObserveServices {
  readonly clock: Clock;
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
  { endpoints, connections, clock }: ObserveServices,
  endpointId: string,
  signal?: AbortSignal,
): Promise<Observations | undefined> {
  await endpoints.refreshOne(endpointId);
  const snapshot = endpoints.find(endpointId);
  const { client, profile } = connections;
  if (!snapshot || !client) return undefined;
  const logs = await readRelevantLogs(client, snapshot, signal);
  return { snapshot, logs, platform: profile?.kind ?? 'hosted', now: clock.now() };
}
