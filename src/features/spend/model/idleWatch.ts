import type { Worker } from '../../../contract/worker.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import * as l10n from '@vscode/l10n';
import { duration } from '../../../text/quantities.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { cents } from '../../../account/prices/money.ts';
import { costOf, rateOf, type PriceSource } from '../../../account/prices/workerCost.ts';

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

/** Cost of the idle time of workers, in USD. Undefined if a price is not known. */
export function idleCost({ snapshot, workers }: IdleEndpoint, source: PriceSource): number | undefined {
  const costs = workers.map(({ worker, idleMs }) => {
    const rate = rateOf(worker, snapshot.endpoint, source);
    return rate && costOf(idleMs / 1000, rate.usdPerHour);
  });
  const known = costs.filter((cost) => cost !== undefined);
  return known.length === costs.length ? known.reduce((sum, cost) => sum + cost, 0) : undefined;
}

/**
 * Describes idle workers, such as `“hello”: 2 workers idle for 40 min, $1.10. workers.min keeps 2 workers.`
 *
 * @param isLocal whether the platform is the local one, which is free
 */
export function idleWords(idle: IdleEndpoint, source: PriceSource, isLocal: boolean): ShownText {
  const { snapshot, workers } = idle;
  const { name, workers: range } = snapshot.endpoint;
  const times = workers.map(({ idleMs }) => duration(idleMs / 1000));
  const [longest = '', shortest = longest] = [times[0], times.at(-1)];
  const time = longest === shortest ? longest : l10n.t`up to ${longest}`;
  const usd = idleCost(idle, source);
  const cost = usd === undefined ? '' : `, ${cents(usd)}${isLocal ? l10n.t(' at hosted prices') : ''}`;
  const reason =
    range.min > 0
      ? range.min === 1
        ? l10n.t(' workers.min keeps 1 worker.')
        : l10n.t` workers.min keeps ${range.min} workers.`
      : '';
  return workers.length === 1
    ? shown`“${name}”: 1 worker idle for ${time}${cost}.${reason}`
    : shown`“${name}”: ${workers.length} workers idle for ${time}${cost}.${reason}`;
}
