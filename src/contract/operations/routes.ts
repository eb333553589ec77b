import type { RouteOperation } from '../operation.ts';
import { ROUTE_METHODS } from '../route.ts';

export const routeOperations = {
  callRoute: {
    methods: ROUTE_METHODS,
    address: 'endpointHost',
    summary: 'Call a route of a load-balanced endpoint',
    errors: [400, 404, 500],
    tag: 'Routes',
  },
} as const satisfies Record<string, RouteOperation>;
