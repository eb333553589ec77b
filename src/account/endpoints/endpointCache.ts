import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../contract/endpoint.ts';
import { isInTrouble } from '../diagnosis/situation.ts';
import { waitingJobs, type Details, type EndpointSnapshot } from './endpointSnapshot.ts';

/** A change of the list of endpoints, of some endpoints, or of both. */
export interface EndpointsChange {
  /** Whether the members of the list or their order changed. */
  readonly list: boolean;
  readonly ids: ReadonlySet<string>;
}

export const NOTHING: EndpointsChange = { list: false, ids: new Set() };

export function isChange({ list, ids }: EndpointsChange): boolean {
  return list || ids.size > 0;
}

/**
 * The last known endpoints of one connection. Responses can arrive in any order. Each one names the round of its request, and a response of
 * an older round never replaces a newer one. A snapshot is replaced only if its content changes.
 */
export class EndpointCache {
  /** Snapshots by endpoint ID, in the order of the list. */
  readonly #index = new Map<string, EndpointSnapshot>();
  #snapshots: readonly EndpointSnapshot[] | undefined;
  readonly #detailRounds = new Map<string, number>();
  /** Last round that may still list a deleted endpoint, by endpoint ID. */
  readonly #gone = new Map<string, number>();
  /** Last round that may still list the previous state of an updated endpoint, by endpoint ID. */
  readonly #changedAfter = new Map<string, number>();
  #listRound = 0;

  get snapshots(): readonly EndpointSnapshot[] {
    return (this.#snapshots ??= [...this.#index.values()]);
  }

  find(id: string): EndpointSnapshot | undefined {
    return this.#index.get(id);
  }

  /** Applies a list response. */
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

  /** Applies the details of one endpoint. Omitted members stay unchanged. @param now in ms since the epoch */
  takeDetails(id: string, details: Partial<Details>, round: number, now: number): EndpointsChange {
    const known = this.#index.get(id);
    if (!known || round < (this.#detailRounds.get(id) ?? 0)) return NOTHING;
    this.#detailRounds.set(id, round);
    const next = { ...known, ...details };
    const stuckSince = isStuck(next) ? (known.stuckSince ?? now) : undefined;
    const seen = { ...next, stuckSince };
    return this.#put({ ...seen, inTrouble: isInTrouble(seen, now) });
  }

  /** Applies the endpoint that an update returned. It is newer than the lists of all rounds up to `lastRound`. */
  takeEndpoint(endpoint: Endpoint, lastRound: number): EndpointsChange {
    this.#changedAfter.set(endpoint.id, lastRound);
    return this.mark(endpoint.id, { endpoint });
  }

  mark(id: string, change: Partial<Pick<EndpointSnapshot, 'deleting' | 'updating' | 'endpoint'>>): EndpointsChange {
    const known = this.#index.get(id);
    return known ? this.#put({ ...known, ...change }) : NOTHING;
  }

  /** Removes a deleted endpoint. No round up to `lastRound` adds it again. */
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

/** Returns whether jobs wait while no worker is running. */
function isStuck(snapshot: EndpointSnapshot): boolean {
  return waitingJobs(snapshot) > 0 && (snapshot.workers?.summary.running ?? 0) === 0;
}
