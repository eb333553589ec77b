import type { Method } from './operation.ts';

/* Requests to load-balanced endpoints. */

export const ROUTE_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const satisfies readonly Method[];
export type RouteMethod = (typeof ROUTE_METHODS)[number];

/** The balancer's `error` when no worker became ready within two minutes, and when the worker exceeded the time limit. */
export const NO_WORKERS = 'no workers available';
export const TIME_LIMIT = 'time limit';

/**
 * Response header with the ID of the worker that responded. In a request, `<id>` prefers that worker, `strict <id>` requires it, and
 * `strict-resume <id>` also restarts it if it was scaled down.
 */
export const WORKER_ID_HEADER = 'X-Runpod-Worker-Id';

/** `error` when the worker that a request requires no longer exists, and when it is not free in time. */
export const AFFINITY_WORKER_GONE = 'affinity_worker_gone';
export const AFFINITY_TIMEOUT = 'worker_timeout';

/** `error` for a route of a queue-based endpoint, which has no routes. */
export const NOT_FOR_QUEUES = 'not allowed for QB API';

/** Variables in the `env` of an endpoint that configure the balancer, with their defaults. */
export const ROUTE_ENVIRONMENT = {
  port: { name: 'PORT', default: '80' },
  healthPort: { name: 'PORT_HEALTH', default: '80' },
  healthPath: { name: 'HEALTH_CHECK_PATH', default: '/ping' },
} as const;

/** Maximum size of a request body and of a response body, in bytes. */
export const MAX_ROUTE_BYTES = 30 * 1_048_576;

/** Maximum time that a request waits for any worker, and for a required worker, in ms. */
export const ROUTE_WAIT_MS = 120_000;
export const AFFINITY_WAIT_MS = 300_000;

/** Placeholder for the endpoint's ID in a connection's address for load-balanced endpoints. */
export const ENDPOINT_ID_PLACEHOLDER = '{endpoint_id}';
