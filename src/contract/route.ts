import * as z from 'zod';
import type { Method } from './operation.ts';

/* Requests to load-balanced endpoints (interface document, operation 5; facts, section 5). */

export const ROUTE_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const satisfies readonly Method[];
export type RouteMethod = (typeof ROUTE_METHODS)[number];

/** Error body of routes. `detail` is optional because hosted balancers omit it. */
export const RouteError = z.looseObject({ error: z.string(), detail: z.string().optional().catch(undefined) });

/** The balancer's `error` when no worker became ready within two minutes, and when the worker exceeded the time limit. */
export const NO_WORKERS = 'no workers available';
export const TIME_LIMIT = 'time limit';

/**
 * Header of every answer with the id of the worker that gave it. A request that sends it back as `<id>` prefers that worker, with
 * `strict <id>` insists on it, and with `strict-resume <id>` has it started again when it was scaled down.
 */
export const WORKER_ID_HEADER = 'X-Runpod-Worker-Id';

/** `error` when the worker that a request insists on is no more, and when it cannot be had in time. */
export const AFFINITY_WORKER_GONE = 'affinity_worker_gone';
export const AFFINITY_TIMEOUT = 'worker_timeout';

/** `error` of a request to a route of a queue-based endpoint, which has none. */
export const NOT_FOR_QUEUES = 'not allowed for QB API';

/** What of an endpoint's `env` the balancer goes by (interface document, "Serverless endpoint", rule 5). */
export const ROUTE_ENVIRONMENT = {
  port: { name: 'PORT', default: '80' },
  healthPort: { name: 'PORT_HEALTH', default: '80' },
  healthPath: { name: 'HEALTH_CHECK_PATH', default: '/ping' },
} as const;

/** Largest body of a request and of an answer, in bytes. */
export const MAX_ROUTE_BYTES = 30 * 1_048_576;

/** Longest processing of a request, in ms; the endpoint's `timeout` may make it shorter. */
export const MAX_ROUTE_MS = 330_000;

/** How long a request waits for a worker, and for one that it insists on, in ms. */
export const ROUTE_WAIT_MS = 120_000;
export const AFFINITY_WAIT_MS = 300_000;

/** Stands for an endpoint's id in the address that a connection has for load-balanced endpoints. */
export const ENDPOINT_ID_PLACEHOLDER = '{endpoint_id}';
