import type { Worker, WorkerList, WorkerStatus } from '../../contract/worker.ts';
import type { QueueWait, StartProgress } from './startProgress.ts';
import { dateTime } from '../../contract/dateTime.ts';

/* Workers in the form of responses. */

/** The state of a worker in its pool. Times are milliseconds since the epoch. */
export interface WorkerView {
  readonly id: string;
  readonly version: number;
  readonly image: string;
  readonly gpuCount: number;
  /** Start of its process. Undefined while no process is up. */
  readonly startedAt: number | undefined;
  /** UUIDs of the GPUs of this machine that the worker has. */
  readonly gpus: readonly string[];
  /** True if the worker waits for room on this machine or in the cluster. */
  readonly throttled: boolean;
  /** True if the worker has requested jobs since its process started. */
  readonly ready: boolean;
  /**
   * True if the worker failed to start or ended unexpectedly, and has not been ready since, or if the engine that runs it cannot be reached.
   */
  readonly failed: boolean;
  /** True if a debugger holds the worker. */
  readonly debugged: boolean;
  /** Number of jobs or requests in progress. */
  readonly load: number;
  /** Why the process does not run yet. Undefined if it runs or the cause is not known. */
  readonly start: WorkerStart | undefined;
}

export type WorkerStart = QueueWait | Exclude<StartProgress, { kind: 'placed' }>;

/** Returns the status of a worker. Failure takes precedence, then throttling, then work, then readiness. */
export function workerStatus(view: Pick<WorkerView, 'failed' | 'throttled' | 'ready' | 'load'>): WorkerStatus {
  if (view.failed) return 'UNHEALTHY';
  if (view.throttled) return 'THROTTLED';
  if (view.load > 0) return 'RUNNING';
  return view.ready ? 'IDLE' : 'INITIALIZING';
}

/** Data center of every local worker. */
const DATA_CENTER = 'local';

/** Workers of an endpoint. */
export interface Workers {
  views(): readonly WorkerView[];
  /** Number of workers that wait to be created. They count as throttled and are not listed. */
  readonly waiting: number;
}

/** Returns the active workers of an endpoint and their number by status. */
export function workerList(from: Workers, endpointVersion: number, now: number): WorkerList {
  const views = from.views();
  const workers = views.map((view): Worker => ({
    id: view.id,
    status: workerStatus(view),
    isStale: view.version < endpointVersion,
    version: view.version,
    gpuCount: view.gpuCount,
    image: view.image,
    uptimeSeconds: view.startedAt === undefined ? null : Math.max(0, Math.floor((now - view.startedAt) / 1000)),
    gpuTypeId: null,
    dataCenterId: DATA_CENTER,
    startedAt: view.startedAt === undefined ? null : dateTime(view.startedAt),
    ...(view.start && { start: view.start }),
    ...(view.gpus.length > 0 && { gpus: [...view.gpus] }),
    ...(view.debugged && { debugged: true as const }),
  }));
  return { workers, summary: summarize({ views: () => views, waiting: from.waiting }), endpointVersion };
}

/** Counts the workers by status. The counts add up to `total`. */
export function summarize(from: Workers): WorkerList['summary'] {
  const views = from.views();
  const count = (status: WorkerStatus): number => views.filter((view) => workerStatus(view) === status).length;
  return {
    running: count('RUNNING'),
    idle: count('IDLE'),
    initializing: count('INITIALIZING'),
    throttled: count('THROTTLED') + from.waiting,
    unhealthy: count('UNHEALTHY'),
    total: views.length + from.waiting,
  };
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Returns the pause in ms before the next start after this many failures in a row: 1 s, then doubling up to a minute. */
export function restartPause(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}
