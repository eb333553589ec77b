import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { EndpointStore } from '../../../account/endpoints/endpointStore.ts';
import type { WorkerRange } from '../model/scaleInput.ts';

/**
 * Changes the number of workers that an endpoint can have. The store marks the endpoint during the change. Sends no request if the range
 * does not change. Returns the endpoint after the change.
 *
 * @throws ApiError
 */
export async function scaleEndpoint(
  { client, store }: { readonly client: Client; readonly store: Pick<EndpointStore, 'update'> },
  endpoint: Endpoint,
  { min, max }: WorkerRange,
): Promise<Endpoint> {
  if (min === endpoint.workers.min && max === endpoint.workers.max) return endpoint;
  return store.update(client, endpoint.id, { workers: { min, max } });
}
