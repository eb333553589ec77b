import type { Endpoint } from '../../contract/endpoint.ts';

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
