import { MAX_ROUTE_MS, ROUTE_ENVIRONMENT } from '../../contract/route.ts';
import type { EndpointRecord } from './endpoint.ts';

/* What a load-balanced endpoint's environment says about its workers' server (interface document, rule 5). */

export interface RouteSettings {
  /** Starts with `/`, and holds nothing that a request line may not. */
  readonly healthPath: string;
  /**
   * Whether health is asked for on a port of its own: the two ports differ, or only the server's is given. In the latter case the
   * public documents disagree about the other, and a worker may answer on either.
   */
  readonly healthPort: 'same' | 'own' | 'either';
  /** Longest processing of a request, in ms. */
  readonly limitMs: number;
}

export function routeSettings({ env, timeout }: Pick<EndpointRecord, 'env' | 'timeout'>): RouteSettings {
  const value = ({ name, default: fallback }: { name: string; default: string }): string => env[name] ?? fallback;
  const { port, healthPort, healthPath } = ROUTE_ENVIRONMENT;
  const same = Number(value(port)) === Number(value(healthPort));
  return {
    healthPath: escaped(value(healthPath)),
    healthPort: same ? 'same' : env[healthPort.name] === undefined ? 'either' : 'own',
    limitMs: Math.min(timeout, MAX_ROUTE_MS),
  };
}

/** What is escaped already stays as it is. */
function escaped(path: string): string {
  return path.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}
