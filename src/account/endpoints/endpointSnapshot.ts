import type { Endpoint } from '../../contract/endpoint.ts';
import type { EndpointHealth } from '../../contract/job.ts';
import type { ReleaseList } from '../../contract/release.ts';
import type { Worker, WorkerList } from '../../contract/worker.ts';
import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { CallOptions } from '../../client/request.ts';

/** Last known state of an endpoint. Snapshots are immutable, so the same object means that nothing has changed. */
export interface EndpointSnapshot {
  readonly endpoint: Endpoint;
  /** Undefined until the workers have been read, and after a failure to read them. */
  readonly workers: WorkerList | undefined;
  /** Job counts. Only queue endpoints have them. */
  readonly health?: EndpointHealth | undefined;
  readonly releases?: ReleaseList | undefined;
  /** Reason for the last failure to read the workers. */
  readonly problem?: string | undefined;
  /** Time since which jobs have waited without a running worker, in ms since the epoch. */
  readonly stuckSince?: number | undefined;
  /** Whether the endpoint needs the user to act. */
  readonly inTrouble?: boolean | undefined;
  /** Whether a deletion is in progress. */
  readonly deleting: boolean;
  /** Whether an update is in progress. */
  readonly updating?: boolean | undefined;
}

/** Data of an endpoint that separate requests read. */
export type Details = Pick<EndpointSnapshot, 'workers' | 'health' | 'releases' | 'problem'>;

/** States of an endpoint, most urgent first. */
export const CONDITIONS = [
  'unhealthy',
  'throttled',
  'running',
  'initializing',
  'idle',
  'paused',
  'noWorkers',
  'unknown',
] as const;
export type Condition = (typeof CONDITIONS)[number];

export function conditionOf({ endpoint, workers }: Pick<EndpointSnapshot, 'endpoint' | 'workers'>): Condition {
  if (!workers) return 'unknown';
  const { running, idle, initializing, throttled, unhealthy } = workers.summary;
  if (unhealthy > 0) return 'unhealthy';
  if (running > 0) return 'running';
  if (initializing > 0) return 'initializing';
  if (throttled > 0) return 'throttled';
  if (idle > 0) return 'idle';
  return endpoint.workers.max === 0 ? 'paused' : 'noWorkers';
}

/** Returns the number of jobs that wait for a worker. */
export function waitingJobs({ health }: Pick<EndpointSnapshot, 'health'>): number {
  return health?.jobs.inQueue ?? 0;
}

/** Returns whether the endpoint is likely to change soon without user action. */
export function isChanging(snapshot: EndpointSnapshot): boolean {
  const { initializing = 0, running = 0 } = snapshot.workers?.summary ?? {};
  const isRollingOut = snapshot.releases?.rollout.inProgress ?? false;
  return initializing + running + waitingJobs(snapshot) > 0 || isRollingOut || snapshot.updating === true;
}

export function isQueue({ type }: Pick<Endpoint, 'type'>): boolean {
  return type !== 'LOAD_BALANCER';
}

export function isInFailure({ status }: Pick<Worker, 'status'>): boolean {
  return status === 'UNHEALTHY';
}

/** Returns the endpoint with this ID, otherwise all endpoints with this name. */
export function endpointsNamed(nameOrId: string, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const byId = endpoints.find(({ id }) => id === nameOrId);
  return byId ? [byId] : endpoints.filter(({ name }) => name === nameOrId);
}

interface DetailsQuery {
  /** Whether to read the job counts. */
  readonly health: boolean;
  readonly releases: boolean;
}

/**
 * Reads the details of one endpoint for the view. Omits details that cannot be read, so that one endpoint does not affect the others.
 *
 * @throws ApiError only for a failure that affects every endpoint: an unreachable service, a rejected key, or an exceeded rate limit
 */
export async function fetchEndpointDetails(
  client: Client,
  endpoint: Endpoint,
  wanted: DetailsQuery,
  options: CallOptions,
): Promise<Partial<Details>> {
  const { id } = endpoint;
  const [workers, health, releases] = await Promise.allSettled([
    client.listEndpointWorkers({ id }, options),
    wanted.health && isQueue(endpoint) ? client.getEndpointHealth({ endpointId: id }, options) : undefined,
    wanted.releases ? client.listEndpointReleases({ id }, options) : undefined,
  ]);
  for (const result of [workers, health, releases]) {
    if (result.status === 'rejected' && affectsAllRequests(result.reason)) throw result.reason as ApiError;
  }
  return {
    ...(workers.status === 'fulfilled'
      ? { workers: workers.value, problem: undefined }
      : { workers: undefined, problem: (workers.reason as Error).message }),
    ...(health.status === 'fulfilled' && health.value ? { health: health.value } : {}),
    ...(releases.status === 'fulfilled' && releases.value ? { releases: releases.value } : {}),
  };
}

function affectsAllRequests(error: unknown): boolean {
  return error instanceof ApiError && ['canceled', 'unauthorized', 'rateLimited', 'network'].includes(error.kind);
}
