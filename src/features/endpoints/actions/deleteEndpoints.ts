import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import type { EndpointStore } from '../../../account/endpoints/endpointStore.ts';

export interface FailedDeletion {
  readonly endpoint: Endpoint;
  readonly error: Error;
}

/** Reads the endpoints again and returns those that still exist, with their current jobs and workers. */
export async function readBeforeDeletion(
  store: Pick<EndpointStore, 'refreshOne' | 'find'>,
  ids: readonly string[],
): Promise<readonly EndpointSnapshot[]> {
  await Promise.all(ids.map((id) => store.refreshOne(id)));
  return ids.flatMap((id) => store.find(id) ?? []);
}

/**
 * Deletes endpoints at the same time. The store marks each one during its deletion. An endpoint that no longer exists counts as deleted.
 * Returns the failures, in the given order.
 */
export async function deleteEndpoints(
  { client, store }: { readonly client: Client; readonly store: Pick<EndpointStore, 'delete'> },
  endpoints: readonly Endpoint[],
): Promise<readonly FailedDeletion[]> {
  const results = await Promise.allSettled(endpoints.map(({ id }) => store.delete(client, id)));
  return endpoints.flatMap((endpoint, index) => {
    const result = results[index];
    return result?.status === 'rejected' && !isGone(result.reason) ? [{ endpoint, error: result.reason as Error }] : [];
  });
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.kind === 'notFound';
}
