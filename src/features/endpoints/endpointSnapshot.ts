import type { Endpoint } from '../../contract/endpoint.ts';
import type { EndpointHealth } from '../../contract/job.ts';
import type { ReleaseList } from '../../contract/release.ts';
import type { Worker, WorkerList } from '../../contract/worker.ts';

/** An endpoint as last seen. It is replaced, never changed: the same object means that nothing is new. */
export interface EndpointSnapshot {
  readonly endpoint: Endpoint;
  /** Missing while they have not been read, or could not be. */
  readonly workers: WorkerList | undefined;
  /** Counts of jobs; of queue endpoints only. */
  readonly health?: EndpointHealth | undefined;
  readonly releases?: ReleaseList | undefined;
  /** Why its workers could not be read the last time. */
  readonly problem?: string | undefined;
  /** Jobs have been waiting with nobody working since then; milliseconds since the epoch. */
  readonly stuckSince?: number | undefined;
  /** Nothing happens until somebody acts. */
  readonly inTrouble?: boolean | undefined;
  /** A delete of it is under way. */
  readonly deleting: boolean;
  /** A change of it is under way. */
  readonly updating?: boolean | undefined;
}

/** What can be read of one endpoint beside itself. */
export type Details = Pick<EndpointSnapshot, 'workers' | 'health' | 'releases' | 'problem'>;

/** What an endpoint is doing, the most urgent first. */
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

/** Jobs that wait for a worker. */
export function waitingJobs({ health }: Pick<EndpointSnapshot, 'health'>): number {
  return health?.jobs.inQueue ?? 0;
}

/** Whether it will soon look different by itself. */
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
