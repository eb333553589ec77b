import { listAll } from '../../../client/listAll.ts';
import type { Client } from '../../../client/client.ts';
import type { CallOptions } from '../../../client/request.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { CreateNetworkVolumeBody, NetworkVolume } from '../../../contract/networkVolume.ts';

/** @throws ApiError */
export function createVolume(
  client: Client,
  body: CreateNetworkVolumeBody,
  options?: CallOptions,
): Promise<NetworkVolume> {
  return client.createNetworkVolume({ body }, options);
}

/** Changes the name, or grows the volume to a size in GB. @throws ApiError */
export function changeVolume(
  client: Client,
  id: string,
  body: { readonly name?: string; readonly size?: number },
  options?: CallOptions,
): Promise<NetworkVolume> {
  return client.updateNetworkVolume({ id, body }, options);
}

/** Deletes a volume with its files. The platform refuses while an endpoint mounts it. @throws ApiError */
export async function deleteVolume(client: Client, id: string, options?: CallOptions): Promise<void> {
  await client.deleteNetworkVolume({ id }, options);
}

/** Reads the names of the endpoints that mount a volume. @throws ApiError */
export async function readMounts(client: Client, id: string, options?: CallOptions): Promise<readonly string[]> {
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', options);
  return endpoints.filter((endpoint) => mounts(endpoint, id)).map(({ name }) => name);
}

function mounts({ networkVolumes, mounts: given }: Pick<Endpoint, 'networkVolumes' | 'mounts'>, id: string): boolean {
  return networkVolumes.includes(id) || (given?.network ?? []).some(({ volumeId }) => volumeId === id);
}
