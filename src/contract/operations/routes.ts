import type { RouteOperation } from '../operation.ts';

/** Methods a route of a load-balanced endpoint can have (interface document, operation 5). */
export const ROUTE_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const;
export type RouteMethod = (typeof ROUTE_METHODS)[number];

/** A path of the worker's own below the endpoint's host. */
export type RoutePath = `/${string}`;

/** Placeholder of `endpointHost` that stands for the endpoint's id. */
export const ENDPOINT_ID_PLACEHOLDER = '{endpoint_id}';

export const routeOperations = {
  callRoute: {
    methods: ROUTE_METHODS,
    address: 'endpointHost',
    summary: 'Call a route of a load-balanced endpoint',
    section: 'Endpoints 5; facts 5',
    errors: [400, 404, 500, 502],
    tag: 'Routes',
  },
} as const satisfies Record<string, RouteOperation>;
