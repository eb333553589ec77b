import { endpointsNamed } from '../../account/endpoints/endpointSnapshot.ts';
import { listAll } from '../../client/listAll.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { secretValues } from '../../text/keyPatterns.ts';
import { ToolError } from '../model/toolError.ts';
import type { CallContext } from './agentTool.ts';

/** Maximum number of names in an error. */
const MAX_NAMED = 20;

/**
 * Returns the endpoint with this name or ID. The keys in its environment stay out of the result.
 *
 * @throws ToolError `notFound` or `ambiguous`, and ApiError
 */
export async function findEndpoint(context: CallContext, nameOrId: string): Promise<Endpoint> {
  const { client, name: connection } = context.connection();
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal: context.signal });
  const [endpoint, ...others] = endpointsNamed(nameOrId, endpoints);
  if (!endpoint) {
    const names = endpoints.slice(0, MAX_NAMED).map(({ name, id }) => `“${name}” (${id})`);
    const known = names.length > 0 ? `Its endpoints are ${names.join(', ')}.` : 'It has no endpoints.';
    throw new ToolError('notFound', `“${connection}” has no endpoint “${nameOrId}”. ${known}`);
  }
  if (others.length > 0) {
    const ids = [endpoint, ...others].map(({ id }) => id);
    throw new ToolError('ambiguous', `Several endpoints have the name “${nameOrId}”. Their IDs are ${ids.join(', ')}.`);
  }
  context.hide(secretValues(endpoint.env ?? {}));
  return endpoint;
}

/** Returns the queue endpoint with this name or ID. @throws ToolError `notPossible` for a load-balanced one */
export async function findQueueEndpoint(context: CallContext, nameOrId: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(context, nameOrId);
  if (endpoint.type === 'LOAD_BALANCER')
    throw new ToolError(
      'notPossible',
      `“${endpoint.name}” is load-balanced: it takes HTTP requests, not jobs. Use send_request.`,
    );
  return endpoint;
}

/** Returns the settings of an endpoint for a model. Environment variables have only their names. */
export function endpointSummary(endpoint: Endpoint): object {
  const { id, name, type, image, workers, scaling, timeout, flashboot, gpu, cpu, createdAt, env } = endpoint;
  return {
    id,
    name,
    type,
    image,
    gpu,
    cpu,
    workers,
    scaling,
    timeout,
    flashboot,
    createdAt,
    env: Object.keys(env ?? {}),
  };
}
