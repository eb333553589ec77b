import { MAX_ROUTE_MS, ROUTE_ENVIRONMENT } from '../../contract/route.ts';
import type { EndpointRecord } from './endpoint.ts';

/* What a load-balanced endpoint's environment says about its workers' server (interface document, rule 5). */

export interface RouteSettings {
  /** Ports as the worker numbers them itself. */
  readonly port: number;
  readonly healthPort: number;
  /**
   * Ports that are asked for health, in this order, until one accepts the connection. If only the port of the server is set, the public
   * documents disagree about the other, and a worker may answer on either.
   */
  readonly healthPorts: readonly number[];
  /** Starts with `/`, and holds nothing that a request line may not. */
  readonly healthPath: string;
  /** Longest processing of a request, in ms. */
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
    limitMs: Math.min(timeout, MAX_ROUTE_MS),
  };
}

/** What is escaped already stays as it is. */
function escaped(path: string): string {
  return path.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}
