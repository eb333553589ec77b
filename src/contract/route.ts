import * as z from 'zod';
import type { Method } from './operation.ts';

/* Requests to load-balanced endpoints (interface document, operation 5; facts, section 5). */

export const ROUTE_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const satisfies readonly Method[];
export type RouteMethod = (typeof ROUTE_METHODS)[number];

/** Error body of routes; the balancer itself leaves `detail` out. */
export const RouteError = z.looseObject({ error: z.string(), detail: z.string().optional().catch(undefined) });

/** `error` of the balancer when no worker could be had within two minutes. */
export const NO_WORKERS = 'no workers available';

/** Header of every answer with the id of the worker that gave it. */
export const WORKER_ID_HEADER = 'X-Runpod-Worker-Id';

/** Stands for an endpoint's id in the address that a connection has for load-balanced endpoints. */
export const ENDPOINT_ID_PLACEHOLDER = '{endpoint_id}';
