import { listAll } from '../../../client/listAll.ts';
import type { Client } from '../../../client/client.ts';
import type { CallOptions } from '../../../client/request.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';

/** Reads the names of the endpoints that mount a volume. @throws ApiError */
export async function readMounts(client: Client, id: string, options?: CallOptions): Promise<readonly string[]> {
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', options);
  return endpoints.filter((endpoint) => mounts(endpoint, id)).map(({ name }) => name);
}

function mounts({ networkVolumes, mounts: given }: Pick<Endpoint, 'networkVolumes' | 'mounts'>, id: string): boolean {
  return networkVolumes.includes(id) || (given?.network ?? []).some(({ volumeId }) => volumeId === id);
}
