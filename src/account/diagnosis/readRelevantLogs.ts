import type { Client } from '../../client/client.ts';
import type { WorkerLog } from './diagnosis.ts';
import { isInFailure, type EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';

/** Number of log lines to read. They cover a few failed starts. */
const TAIL = 200;
/** Maximum number of workers whose logs are read. Workers of an endpoint usually fail for the same reason. */
const MAX_WORKERS = 2;

/** Reads the newest lines of workers whose logs can explain a failure, for a diagnosis. */
export function readRelevantLogs(
  client: Client,
  snapshot: EndpointSnapshot,
  signal?: AbortSignal,
): Promise<readonly WorkerLog[]> {
  const { id } = snapshot.endpoint;
  return Promise.all(workersToInspect(snapshot).map((workerId) => readLog(client, id, workerId, signal)));
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
  const { readWorkerLogTail } = await import('../../client/workerLogTail.ts');
  const options = { id, workerId, tail: TAIL, ...(signal ? { signal } : {}) };
  const events = await readWorkerLogTail(client.context, options).catch(() => []);
  return { workerId, events };
}
