import type { Client } from '../../../client/client.ts';
import { listAll } from '../../../client/listAll.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Worker } from '../../../contract/worker.ts';
import { inLanes } from '../../endpoints/inLanes.ts';

/** Maximum number of endpoints whose workers are read at the same time. */
const LANES = 6;

export interface ListedWorker {
  readonly endpoint: Pick<Endpoint, 'id' | 'name'>;
  readonly worker: Worker;
}

export interface ListWorkersOptions {
  /** Limits the list to the workers of this endpoint. */
  readonly endpointId?: string | undefined;
  readonly signal: AbortSignal;
  /** Called after the workers of each endpoint are read. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Reads the workers of all endpoints from the platform, in the order of the endpoints.
 *
 * @throws ApiError
 */
export async function listWorkers(
  client: Client,
  { endpointId, signal, onProgress }: ListWorkersOptions,
): Promise<readonly ListedWorker[]> {
  const endpoints =
    endpointId === undefined
      ? await listAll(client, 'listEndpoints', {}, 'endpoints', { signal })
      : [await client.getEndpoint({ id: endpointId }, { signal })];
  const workersOf = new Map<string, readonly Worker[]>();
  await inLanes(LANES, endpoints, async ({ id }) => {
    const { workers } = await client.listEndpointWorkers({ id }, { signal });
    workersOf.set(id, workers);
    onProgress?.(workersOf.size, endpoints.length);
  });
  return endpoints.flatMap(({ id, name }) =>
    (workersOf.get(id) ?? []).map((worker) => ({ endpoint: { id, name }, worker })),
  );
}
