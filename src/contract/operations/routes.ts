import type { RouteOperation } from '../operation.ts';
import { ROUTE_METHODS } from '../route.ts';

/** A path of the worker's own below the endpoint's host. */
export type RoutePath = `/${string}`;

export const routeOperations = {
  callRoute: {
    methods: ROUTE_METHODS,
    address: 'endpointHost',
    summary: 'Call a route of a load-balanced endpoint',
    section: 'Endpoints 5; facts 5',
    errors: [400, 404, 500],
    tag: 'Routes',
  },
} as const satisfies Record<string, RouteOperation>;
