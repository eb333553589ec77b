import pMap from 'p-map';
import type { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import { listAll } from '../../client/listAll.ts';
import type { CallOptions } from '../../client/request.ts';
import type { Endpoint, UpdateEndpointBody } from '../../contract/endpoint.ts';
import { ConnectedPoller, type Connected, type ConnectedPlatform } from '../connectedPoller.ts';
import { Emitter, type Subscription } from '../../kit/emitter.ts';
import { EndpointCache, isChange, NOTHING, type EndpointsChange } from './endpointCache.ts';
import { isChanging, type EndpointSnapshot, fetchEndpointDetails } from './endpointSnapshot.ts';
import { isRunningOut, pauseAfter, pauseAfterFailure, planRound, type RoundState } from './roundPlan.ts';

export type EndpointsState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly endpoints: readonly EndpointSnapshot[] }
  /** The endpoints that were read before the failure stay visible. */
  | { readonly kind: 'failed'; readonly endpoints: readonly EndpointSnapshot[]; readonly error: ApiError };

/** Duration of fast polling after a user action, in ms. */
const ALERT_MS = 15_000;
/** Maximum number of endpoints that are read at the same time. */
const CONCURRENCY = 6;

interface ReadCall extends ConnectedPlatform {
  readonly round: number;
}

/**
 * Polls the endpoints of the current connection while the view is visible: the list, and the details that the row of each endpoint shows.
 * `roundPlan.ts` schedules the reads.
 */
export class EndpointStore {
  readonly #clock: Clock;
  readonly #poller: ConnectedPoller;
  readonly #cache = new EndpointCache();
  readonly #changed = new Emitter<EndpointsChange>();
  readonly onDidChange = this.#changed.event;
  readonly #expanded = new Set<string>();
  readonly #releasesShown = new Set<string>();
  readonly #readAt = new Map<string, number>();
  readonly #reading = new Map<string, Promise<void>>();
  #listedAt: number | undefined;
  #kind: EndpointsState['kind'] = 'idle';
  #error: ApiError | undefined;
  #failures = 0;
  #alertUntil = 0;
  /** Number of rounds started. It keeps a slow response from replacing a newer one. */
  #begun = 0;

  constructor(connections: Connected, clock: Clock) {
    this.#clock = clock;
    this.#poller = new ConnectedPoller({
      connections,
      clock,
      poll: (platform) => this.#round(platform, { all: false }),
      interval: () => this.#interval(),
      onConnection: () => this.#forget(),
    });
  }

  get state(): EndpointsState {
    const { endpoints } = this;
    switch (this.#kind) {
      case 'ready':
        return { kind: 'ready', endpoints };
      case 'failed':
        return this.#error ? { kind: 'failed', endpoints, error: this.#error } : { kind: 'ready', endpoints };
      default:
        return { kind: this.#kind };
    }
  }

  /** All known endpoints, whether or not the last round succeeded. */
  get endpoints(): readonly EndpointSnapshot[] {
    return this.#cache.snapshots;
  }

  find(endpointId: string): EndpointSnapshot | undefined {
    return this.#cache.find(endpointId);
  }

  /** Time at which the details of an endpoint were last read, in ms since the epoch. */
  readAt(endpointId: string): number | undefined {
    return this.#readAt.get(endpointId);
  }

  /** Sets whether the view is visible. */
  setVisible(visible: boolean): void {
    this.#poller.setVisible(visible);
  }

  /** Sets whether the window has the focus. */
  setFocused(focused: boolean): void {
    this.#poller.setFocused(focused);
  }

  /** Sets whether the workers of an endpoint are on the screen. */
  setExpanded(endpointId: string, expanded: boolean): void {
    if (expanded === this.#expanded.has(endpointId)) return;
    if (expanded) this.#expanded.add(endpointId);
    else this.#expanded.delete(endpointId);
  }

  /** Sets whether the releases of an endpoint are on the screen. */
  setReleasesShown(endpointId: string, shown: boolean): void {
    if (shown) this.#releasesShown.add(endpointId);
    else this.#releasesShown.delete(endpointId);
  }

  /** Reads the list and the expanded endpoints, whether or not the view is visible. Resolves once both are read. */
  async refresh(): Promise<void> {
    this.#alertUntil = this.#clock.now() + ALERT_MS;
    const { platform } = this.#poller;
    if (platform) await this.#round(platform, { all: true });
    this.#poller.wake();
  }

  /** Reads one endpoint now, whether or not it is expanded. Never rejects: the snapshot or the next round reports a failure. */
  async refreshOne(endpointId: string): Promise<void> {
    const { platform } = this.#poller;
    if (!platform) return;
    await this.#readOne(endpointId, { ...platform, round: ++this.#begun }).catch(() => undefined);
  }

  /** Reads one endpoint, or waits for a read of it that is in progress. */
  async load(endpointId: string): Promise<void> {
    await (this.#reading.get(endpointId) ?? this.refreshOne(endpointId)).catch(() => undefined);
  }

  /** Deletes an endpoint and marks it as being deleted in the meantime. @throws ApiError */
  async delete(client: Client, endpointId: string, options: CallOptions = {}): Promise<void> {
    this.#apply(this.#cache.mark(endpointId, { deleting: true }));
    try {
      await client.deleteEndpoint({ id: endpointId }, options);
      this.#apply(this.#cache.remove(endpointId, this.#begun));
    } catch (error) {
      this.#apply(this.#cache.mark(endpointId, { deleting: false }));
      throw error;
    }
    this.#pollFaster();
  }

  /** Updates an endpoint and marks it as being updated in the meantime. @throws ApiError */
  async update(
    client: Client,
    endpointId: string,
    body: UpdateEndpointBody,
    options: CallOptions = {},
  ): Promise<Endpoint> {
    this.#apply(this.#cache.mark(endpointId, { updating: true }));
    try {
      const endpoint = await client.updateEndpoint({ id: endpointId, body }, options);
      this.#apply(this.#cache.takeEndpoint(endpoint, this.#begun));
      return endpoint;
    } finally {
      this.#apply(this.#cache.mark(endpointId, { updating: false }));
      this.#pollFaster();
    }
  }

  dispose(): void {
    this.#poller.dispose();
    this.#changed.dispose();
  }

  #pollFaster(): void {
    this.#alertUntil = this.#clock.now() + ALERT_MS;
    this.#poller.wake();
  }

  /** Forgets the endpoints of the previous connection. A platform that has just started brings up its workers, so it is watched closely. */
  #forget(): void {
    this.#alertUntil = this.#clock.now() + ALERT_MS;
    this.#failures = 0;
    this.#error = undefined;
    this.#listedAt = undefined;
    this.#readAt.clear();
    this.#cache.clear();
    this.#kind = this.#poller.platform ? 'loading' : 'idle';
    this.#changed.fire({ list: true, ids: new Set() });
  }

  get #roundState(): RoundState {
    const now = this.#clock.now();
    return {
      endpoints: this.endpoints.map((snapshot) => ({
        id: snapshot.endpoint.id,
        expanded: this.#expanded.has(snapshot.endpoint.id),
        changing: isChanging(snapshot),
        readAt: this.#readAt.get(snapshot.endpoint.id),
      })),
      listedAt: this.#listedAt,
      alert: now < this.#alertUntil,
      sparing: isRunningOut(this.#poller.platform?.client.rateLimits.windows.values() ?? [], now),
    };
  }

  /** Performs one round. With `all`, reads the list and all expanded endpoints regardless of their age. */
  async #round(platform: ConnectedPlatform, { all }: { all: boolean }): Promise<void> {
    const call = { ...platform, round: ++this.#begun };
    const isStale = () => platform.signal.aborted;
    try {
      if (all || planRound(this.#roundState, this.#clock.now()).list) await this.#readList(call);
      if (isStale()) return;
      const plan = planRound(this.#roundState, this.#clock.now());
      const ids = all ? new Set([...this.#expanded, ...plan.ids]) : plan.ids;
      await pMap(ids, (id) => this.#readOne(id, call), { concurrency: CONCURRENCY });
      if (!isStale()) this.#succeed();
    } catch (error) {
      if (!isStale()) this.#fail(error as ApiError);
    }
  }

  async #readList({ client, round, signal }: ReadCall): Promise<void> {
    const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal, retries: 1, waits: 0 });
    if (signal.aborted) return;
    this.#listedAt = this.#clock.now();
    const change = this.#cache.takeList(endpoints, round);
    const first = this.#kind !== 'ready';
    this.#kind = 'ready';
    this.#error = undefined;
    this.#apply(first ? { ...change, list: true } : change);
  }

  #readOne(id: string, call: ReadCall): Promise<void> {
    const reading = this.#readOneNow(id, call).finally(() => {
      if (this.#reading.get(id) === reading) this.#reading.delete(id);
    });
    this.#reading.set(id, reading);
    return reading;
  }

  async #readOneNow(id: string, { client, round, signal }: ReadCall): Promise<void> {
    const known = this.find(id);
    if (!known || known.deleting) return;
    const wanted = { health: true, releases: this.#releasesShown.has(id) };
    const details = await fetchEndpointDetails(client, known.endpoint, wanted, { signal, retries: 1, waits: 0 });
    if (signal.aborted) return;
    const now = this.#clock.now();
    this.#readAt.set(id, now);
    this.#apply(this.#cache.takeDetails(id, details, round, now));
  }

  #succeed(): void {
    // Reading only details does not clear an earlier failure to read the list.
    if (this.#listedAt === undefined) return;
    this.#failures = 0;
    if (this.#kind !== 'failed') return;
    this.#kind = 'ready';
    this.#error = undefined;
    this.#changed.fire(NOTHING);
  }

  /** Records a failure, so that the next round starts with the list. */
  #fail(error: ApiError): void {
    this.#failures++;
    this.#listedAt = undefined;
    this.#kind = 'failed';
    this.#error = error;
    this.#changed.fire(NOTHING);
  }

  #apply(change: EndpointsChange): void {
    if (isChange(change)) this.#changed.fire(change);
  }

  #interval(): number | undefined {
    const now = this.#clock.now();
    if (this.#failures > 0) {
      const asked = this.#error?.kind === 'rateLimited' ? this.#waitMs(this.#error, now) : 0;
      return Math.max(pauseAfterFailure(this.#failures), asked);
    }
    return pauseAfter(this.#roundState, now);
  }

  #waitMs({ retryAfterMs = 0 }: ApiError, now: number): number {
    return Math.max(retryAfterMs, this.#poller.platform?.client.rateLimits.waitMs(now) ?? 0);
  }
}

/** Calls the listener when endpoints are added, removed, or updated. Ignores changes of workers and jobs, which are frequent. */
export function onDidChangeEndpointDefinitions(
  store: Pick<EndpointStore, 'endpoints' | 'onDidChange'>,
  listener: () => void,
): Subscription {
  const current = () => store.endpoints.map(({ endpoint }) => endpoint);
  let before = current();
  return store.onDidChange(() => {
    const now = current();
    if (now.length === before.length && now.every((endpoint, index) => endpoint === before[index])) return;
    before = now;
    listener();
  });
}
