import { ROUTE_ENVIRONMENT } from '../../contract/route.ts';
import type { EndpointRecord } from './endpoint.ts';

/* Settings of a load-balanced worker's server, from the endpoint's environment (docs/local-platform.md, Load-balanced endpoints). */

export interface RouteSettings {
  /** Ports inside the worker. */
  readonly port: number;
  readonly healthPort: number;
  /**
   * Ports to probe for health, in this order, until one accepts the connection. If only the port of the server is set, the public
   * documentation is contradictory about the health port, and a worker may respond on either.
   */
  readonly healthPorts: readonly number[];
  /** Starts with `/`, and contains only characters that are valid in a request line. */
  readonly healthPath: string;
  /** Maximum duration of a request, in ms. */
  readonly limitMs: number;
}

export function routeSettings({ env, timeout }: Pick<EndpointRecord, 'env' | 'timeout'>): RouteSettings {
  const value = ({ name, default: fallback }: { name: string; default: string }): string => env[name] ?? fallback;
  const names = ROUTE_ENVIRONMENT;
  const port = Number(value(names.port));
  const healthPort = Number(value(names.healthPort));
  const isEither = port !== healthPort && env[names.healthPort.name] === undefined;
  return {
    ...{ port, healthPort, healthPorts: isEither ? [healthPort, port] : [healthPort] },
    healthPath: escaped(value(names.healthPath)),
    limitMs: timeout,
  };
}

/** Escapes characters that are invalid in a request line. Existing escapes stay as they are. */
function escaped(path: string): string {
  return path.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}
