import type { Worker } from '../../../contract/worker.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';

/*
 * Idle periods of workers, as this window observes them. A platform reports only that a worker is idle now, and the number of ended jobs of
 * a queue endpoint. A worker counts as idle between two reads if no job of its endpoint ended in between. Without that number, the reads must
 * be close together.
 */

/** Maximum time between two reads of an endpoint during which nothing is assumed to happen, in ms. */
const MAX_GAP_MS = 120_000;

/** A worker that is idle. */
export interface IdleWorker {
  readonly worker: Worker;
  readonly idleMs: number;
}

/** An endpoint with workers that have been idle for long. */
export interface IdleEndpoint {
  readonly snapshot: EndpointSnapshot;
  /** All idle workers of the endpoint, the longest idle one first. */
  readonly workers: readonly IdleWorker[];
}

interface Observed {
  /** Time of the last read, in ms since the epoch. */
  readAt: number;
  ended: number | undefined;
  /** Times since which workers are idle, by worker ID. */
  readonly since: Map<string, number>;
  reported: boolean;
}

/** Observes workers and reports an endpoint once per idle period. The period ends when no worker of it has been idle for long. */
export class IdleWatch {
  readonly #endpoints = new Map<string, Observed>();

  /**
   * Takes the current state of all endpoints, and returns those whose idle period has just become long.
   *
   * @param readAt returns the time at which an endpoint was read, in ms since the epoch
   * @param longMs time from which a worker has been idle for long
   */
  update(
    snapshots: readonly EndpointSnapshot[],
    readAt: (endpointId: string) => number | undefined,
    longMs: number,
  ): readonly IdleEndpoint[] {
    const ids = new Set(snapshots.map(({ endpoint }) => endpoint.id));
    for (const id of this.#endpoints.keys()) if (!ids.has(id)) this.#endpoints.delete(id);
    return snapshots.flatMap((snapshot) => {
      const at = readAt(snapshot.endpoint.id);
      return at === undefined || !snapshot.workers ? [] : (this.#observe(snapshot, at, longMs) ?? []);
    });
  }

  /** Forgets everything, for another connection. */
  clear(): void {
    this.#endpoints.clear();
  }

  #observe(snapshot: EndpointSnapshot, at: number, longMs: number): IdleEndpoint | undefined {
    const { endpoint, workers } = snapshot;
    const ended = endedJobs(snapshot);
    const fresh: Observed = { readAt: at, ended, since: new Map(), reported: false };
    const observed = this.#endpoints.get(endpoint.id) ?? fresh;
    this.#endpoints.set(endpoint.id, observed);
    const elapsed = at - observed.readAt;
    const hasEndedNone = ended === observed.ended;
    const isContinuous = elapsed >= 0 && hasEndedNone && (elapsed <= MAX_GAP_MS || ended !== undefined);
    if (!isContinuous) observed.since.clear();
    observed.readAt = at;
    observed.ended = ended;

    const idle = (workers?.workers ?? []).filter(({ status }) => status === 'IDLE');
    const since = new Map(idle.map(({ id }) => [id, observed.since.get(id) ?? at]));
    observed.since.clear();
    for (const [id, start] of since) observed.since.set(id, start);

    const found = idle
      .map((worker) => ({ worker, idleMs: at - (since.get(worker.id) ?? at) }))
      .sort((a, b) => b.idleMs - a.idleMs);
    const isLong = (found[0]?.idleMs ?? -1) >= longMs;
    const isNew = isLong && !observed.reported;
    observed.reported = isLong;
    return isNew ? { snapshot, workers: found } : undefined;
  }
}

/** Returns the number of ended jobs. Undefined if the platform does not report it. */
function endedJobs({ health }: EndpointSnapshot): number | undefined {
  return health && health.jobs.completed + health.jobs.failed;
}
