import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { CallOptions } from '../../client/request.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { isQueue, type Details } from './endpointSnapshot.ts';

export interface DetailsQuery {
  /** Whether to read the job counts. */
  readonly health: boolean;
  readonly releases: boolean;
}

/**
 * Reads the details of one endpoint for the view. Omits details that cannot be read, so that one endpoint does not affect the others.
 *
 * @throws ApiError only for a failure that affects every endpoint: an unreachable service, a rejected key, or an exceeded rate limit
 */
export async function fetchEndpointDetails(
  client: Client,
  endpoint: Endpoint,
  wanted: DetailsQuery,
  options: CallOptions,
): Promise<Partial<Details>> {
  const { id } = endpoint;
  const [workers, health, releases] = await Promise.allSettled([
    client.listEndpointWorkers({ id }, options),
    wanted.health && isQueue(endpoint) ? client.getEndpointHealth({ endpointId: id }, options) : undefined,
    wanted.releases ? client.listEndpointReleases({ id }, options) : undefined,
  ]);
  for (const result of [workers, health, releases]) {
    if (result.status === 'rejected' && affectsAllRequests(result.reason)) throw result.reason as ApiError;
  }
  return {
    ...(workers.status === 'fulfilled'
      ? { workers: workers.value, problem: undefined }
      : { workers: undefined, problem: (workers.reason as Error).message }),
    ...(health.status === 'fulfilled' && health.value ? { health: health.value } : {}),
    ...(releases.status === 'fulfilled' && releases.value ? { releases: releases.value } : {}),
  };
}

function affectsAllRequests(error: unknown): boolean {
  return error instanceof ApiError && ['canceled', 'unauthorized', 'rateLimited', 'network'].includes(error.kind);
}
