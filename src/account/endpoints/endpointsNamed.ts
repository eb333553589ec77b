import type { Endpoint } from '../../contract/endpoint.ts';

/** Returns the endpoint with this ID, otherwise all endpoints with this name. */
export function endpointsNamed(nameOrId: string, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const byId = endpoints.find(({ id }) => id === nameOrId);
  return byId ? [byId] : endpoints.filter(({ name }) => name === nameOrId);
}
