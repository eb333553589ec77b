import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { isInFailure, type EndpointSnapshot } from '../endpointSnapshot.ts';
import type { EndpointStore } from '../endpointStore.ts';
import type { Observations, WorkerLog } from './diagnosis.ts';

/** Number of log lines to read. They cover a few failed starts. */
const TAIL = 200;
/** Maximum number of workers whose logs are read. Workers of an endpoint usually fail for the same reason. */
const MAX_WORKERS = 2;

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
  const logs = await Promise.all(
    workersToInspect(snapshot).map((workerId) => readLog(client, endpointId, workerId, signal)),
  );
  return { snapshot, logs, platform: profile?.kind ?? 'hosted', now: clock.now() };
}

/** Returns the IDs of workers whose logs may explain a failure. A crash loop can look like a slow start. */
function workersToInspect({ workers }: EndpointSnapshot): string[] {
  const all = workers?.workers ?? [];
  const starting = all.filter(({ status }) => status === 'INITIALIZING');
  return [...all.filter(isInFailure), ...starting].slice(0, MAX_WORKERS).map(({ id }) => id);
}

/** Reads the end of a worker's log. Treats a log that cannot be read as empty, because a diagnosis is possible without it. */
async function readLog(
  client: Client,
  id: string,
  workerId: string,
  signal: AbortSignal | undefined,
): Promise<WorkerLog> {
  const { readWorkerLogTail } = await import('../../../client/workerLogTail.ts');
  const options = { id, workerId, tail: TAIL, ...(signal ? { signal } : {}) };
  const events = await readWorkerLogTail(client.context, options).catch(() => []);
  return { workerId, events };
}
