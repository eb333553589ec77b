import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../contract/endpoint.ts';
import { isInTrouble } from './diagnosis/diagnosis.ts';
import { waitingJobs, type Details, type EndpointSnapshot } from './endpointSnapshot.ts';

/** What is new: the set of endpoints, or some of them. */
export interface EndpointsChange {
  /** Endpoints came or went. */
  readonly list: boolean;
  readonly ids: ReadonlySet<string>;
}

export const NOTHING: EndpointsChange = { list: false, ids: new Set() };

export function isChange({ list, ids }: EndpointsChange): boolean {
  return list || ids.size > 0;
}

/**
 * The endpoints of one connection as last seen. Answers may arrive in any order: each names the round it was asked in, and an older
 * one never replaces a newer. A snapshot is replaced only when something in it is new.
 */
export class EndpointCache {
  /** In the order of the list. */
  readonly #index = new Map<string, EndpointSnapshot>();
  #snapshots: readonly EndpointSnapshot[] | undefined;
  readonly #detailRounds = new Map<string, number>();
  /** Deleted endpoints, and the last round that may still have seen them. */
  readonly #gone = new Map<string, number>();
  /** Endpoints that a call changed, and the last round that may have seen them as they were before. */
  readonly #changedAfter = new Map<string, number>();
  #listRound = 0;

  get snapshots(): readonly EndpointSnapshot[] {
    return (this.#snapshots ??= [...this.#index.values()]);
  }

  find(id: string): EndpointSnapshot | undefined {
    return this.#index.get(id);
  }

  /** Takes the answer of a list. */
  takeList(endpoints: readonly Endpoint[], round: number): EndpointsChange {
    if (round < this.#listRound) return NOTHING;
    this.#listRound = round;
    const present = endpoints.filter(({ id }) => round > (this.#gone.get(id) ?? -1));
    const ids = new Set<string>();
    const before = this.snapshots.map(({ endpoint }) => endpoint.id).join();
    const next = present.map((endpoint) => {
      const known = this.#index.get(endpoint.id);
      if (
        known &&
        (round <= (this.#changedAfter.get(endpoint.id) ?? -1) || isDeepStrictEqual(known.endpoint, endpoint))
      )
        return known;
      ids.add(endpoint.id);
      return known ? { ...known, endpoint } : { endpoint, workers: undefined, deleting: false };
    });
    this.#replaceAll(next);
    return { list: before !== next.map(({ endpoint }) => endpoint.id).join(), ids };
  }

  /** Takes what was read of one endpoint; members that are left out stay. */
  takeDetails(id: string, details: Partial<Details>, round: number, now: number): EndpointsChange {
    const known = this.#index.get(id);
    if (!known || round < (this.#detailRounds.get(id) ?? 0)) return NOTHING;
    this.#detailRounds.set(id, round);
    const next = { ...known, ...details };
    const stuckSince = isStuck(next) ? (known.stuckSince ?? now) : undefined;
    const seen = { ...next, stuckSince };
    return this.#put({ ...seen, inTrouble: isInTrouble(seen, now) });
  }

  /** Takes an endpoint that a call answered, which is newer than what rounds up to this one see. */
  takeEndpoint(endpoint: Endpoint, lastRound: number): EndpointsChange {
    this.#changedAfter.set(endpoint.id, lastRound);
    return this.mark(endpoint.id, { endpoint });
  }

  mark(id: string, change: Partial<Pick<EndpointSnapshot, 'deleting' | 'updating' | 'endpoint'>>): EndpointsChange {
    const known = this.#index.get(id);
    return known ? this.#put({ ...known, ...change }) : NOTHING;
  }

  /** It is deleted: no round up to this one brings it back. */
  remove(id: string, lastRound: number): EndpointsChange {
    this.#gone.set(id, lastRound);
    if (!this.#index.has(id)) return NOTHING;
    this.#replaceAll(this.snapshots.filter(({ endpoint }) => endpoint.id !== id));
    return { list: true, ids: new Set() };
  }

  clear(): void {
    this.#gone.clear();
    this.#changedAfter.clear();
    this.#replaceAll([]);
  }

  #put(snapshot: EndpointSnapshot): EndpointsChange {
    const { id } = snapshot.endpoint;
    const known = this.#index.get(id);
    if (!known || isDeepStrictEqual(known, snapshot)) return NOTHING;
    this.#index.set(id, snapshot);
    this.#snapshots = undefined;
    return { list: false, ids: new Set([id]) };
  }

  #replaceAll(snapshots: readonly EndpointSnapshot[]): void {
    this.#snapshots = snapshots;
    this.#index.clear();
    for (const snapshot of snapshots) this.#index.set(snapshot.endpoint.id, snapshot);
    for (const id of this.#detailRounds.keys()) if (!this.#index.has(id)) this.#detailRounds.delete(id);
  }
}

/** Jobs wait and nobody works. */
function isStuck(snapshot: EndpointSnapshot): boolean {
  return waitingJobs(snapshot) > 0 && (snapshot.workers?.summary.running ?? 0) === 0;
}
