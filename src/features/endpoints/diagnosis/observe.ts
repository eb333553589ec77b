import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { isInFailure, type EndpointSnapshot } from '../endpointSnapshot.ts';
import type { EndpointStore } from '../endpointStore.ts';
import type { Observations, WorkerLog } from './diagnosis.ts';

/** Enough to hold a few failed starts. */
const TAIL = 200;
/** They mostly fail alike. */
const MOST_WORKERS = 2;

export interface ObserveServices {
  readonly clock: Clock;
  readonly endpoints: EndpointStore;
  readonly connections: {
    readonly client: Client | undefined;
    readonly profile: { readonly kind: 'local' | 'hosted' } | undefined;
  };
}

/** Looks at an endpoint now: its counts, and the logs of workers that do not come up. Undefined when it is not there any more. */
export async function observe(
  { endpoints, connections, clock }: ObserveServices,
  endpointId: string,
  signal?: AbortSignal,
): Promise<Observations | undefined> {
  await endpoints.refreshOne(endpointId);
  const snapshot = endpoints.find(endpointId);
  const { client, profile } = connections;
  if (!snapshot || !client) return undefined;
  const logs = await Promise.all(suspects(snapshot).map((workerId) => readLog(client, endpointId, workerId, signal)));
  return { snapshot, logs, platform: profile?.kind ?? 'hosted', now: clock.now() };
}

/** Workers whose log may say why they do not work: a crash loop can look like a start that takes long. */
function suspects({ workers }: EndpointSnapshot): string[] {
  const all = workers?.workers ?? [];
  const starting = all.filter(({ status }) => status === 'INITIALIZING');
  return [...all.filter(isInFailure), ...starting].slice(0, MOST_WORKERS).map(({ id }) => id);
}

/** A log that cannot be read is no reason to say nothing. */
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
