import { endpointsNamed } from '../../account/endpoints/endpointSnapshot.ts';
import { listAll } from '../../client/listAll.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import type { Session } from './openSession.ts';

/** Maximum number of names in an error. */
const MAX_NAMED = 20;

/** Returns the endpoint with this name or ID. @throws CannotRunError if there is none or there are several, and ApiError */
export async function endpointNamed(
  { client, name: platform }: Session,
  nameOrId: string,
  signal: AbortSignal,
): Promise<Endpoint> {
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal });
  const [endpoint, ...others] = endpointsNamed(nameOrId, endpoints);
  if (!endpoint) {
    const names = endpoints.slice(0, MAX_NAMED).map(({ name }) => name);
    const known = names.length > 0 ? `its endpoints are ${names.join(', ')}` : 'it has no endpoints';
    throw new CannotRunError(`${platform} has no endpoint ${nameOrId}; ${known}`);
  }
  if (others.length > 0) {
    const ids = [endpoint, ...others].map(({ id }) => id).join(', ');
    throw new CannotRunError(`several endpoints have the name ${nameOrId}; use one of the IDs ${ids}`);
  }
  return endpoint;
}
