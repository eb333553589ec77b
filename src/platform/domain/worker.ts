import type { Worker, WorkerList, WorkerStatus } from '../../contract/worker.ts';

/* What is told about workers (facts, section 3a). */

/** A worker as its pool sees it. Times are milliseconds since the epoch. */
export interface WorkerView {
  readonly id: string;
  readonly version: number;
  readonly image: string;
  readonly gpuCount: number;
  /** Its process is up since; undefined while there is none. */
  readonly startedAt: number | undefined;
  /** The machine runs as many workers as it may: it waits for a place. */
  readonly throttled: boolean;
  /** It has asked for jobs since its process started. */
  readonly ready: boolean;
  /** It could not start or ended by itself, and has not been ready since. */
  readonly failed: boolean;
  /** How many jobs or requests it is working on. */
  readonly load: number;
}

/** The status of a worker: failing beats everything, then having no place, being busy, and having asked for jobs. */
export function workerStatus(view: Pick<WorkerView, 'failed' | 'throttled' | 'ready' | 'load'>): WorkerStatus {
  if (view.failed) return 'UNHEALTHY';
  if (view.throttled) return 'THROTTLED';
  if (view.load > 0) return 'RUNNING';
  return view.ready ? 'IDLE' : 'INITIALIZING';
}

/** Data center of every worker here. */
const DATA_CENTER = 'local';

/** Workers of an endpoint. */
export interface Workers {
  views(): readonly WorkerView[];
  /** Number of workers that wait to be created. They count as throttled and are not listed. */
  readonly waiting: number;
}

/** The active workers of an endpoint and how many there are of each status. */
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
    startedAt: view.startedAt === undefined ? null : new Date(view.startedAt).toISOString(),
  }));
  return { workers, summary: summarize({ views: () => views, waiting: from.waiting }), endpointVersion };
}

/** Counts per status; they add up to `total`. */
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

/** Pause in ms before the next start after that many failures in a row: 1 s, then doubling up to a minute. */
export function restartPause(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}
