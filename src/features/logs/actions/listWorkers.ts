import pMap from 'p-map';
import type { Client } from '../../../client/client.ts';
import { listAll } from '../../../client/listAll.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Worker } from '../../../contract/worker.ts';

/** Maximum number of endpoints whose workers are read at the same time. */
const CONCURRENCY = 6;

export interface ListedWorker {
  readonly endpoint: Pick<Endpoint, 'id' | 'name'>;
  readonly worker: Worker;
}

export interface ListWorkersOptions {
  /** Limits the list to the workers of these endpoints. Default: all endpoints. */
  readonly endpoints?: readonly Pick<Endpoint, 'id' | 'name'>[] | undefined;
  readonly signal: AbortSignal;
  /** Called after the workers of each endpoint are read. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Reads the workers of endpoints from the platform, in the order of the endpoints.
 *
 * @throws ApiError
 */
export async function listWorkers(
  client: Client,
  { endpoints: wanted, signal, onProgress }: ListWorkersOptions,
): Promise<readonly ListedWorker[]> {
  const endpoints = wanted ?? (await listAll(client, 'listEndpoints', {}, 'endpoints', { signal }));
  let done = 0;
  const lists = await pMap(
    endpoints,
    async ({ id, name }) => {
      const { workers } = await client.listEndpointWorkers({ id }, { signal });
      onProgress?.(++done, endpoints.length);
      return workers.map((worker) => ({ endpoint: { id, name }, worker }));
    },
    { concurrency: CONCURRENCY },
  );
  return lists.flat();
}
