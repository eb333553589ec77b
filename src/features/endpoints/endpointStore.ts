import * as vscode from 'vscode';
import type { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import { listAll } from '../../client/listAll.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { WorkerList } from '../../contract/worker.ts';
import { Poller } from '../../vscode/poller.ts';
import type { ConnectionStore } from '../connections/connectionStore.ts';

/** An endpoint and its workers as last seen. Workers are missing while they could not be listed. */
export interface EndpointSnapshot {
  readonly endpoint: Endpoint;
  readonly workers: WorkerList | undefined;
  /** A delete of it is under way. */
  readonly deleting: boolean;
}

export type EndpointsState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly endpoints: readonly EndpointSnapshot[] }
  /** What was seen before stays visible. */
  | { readonly kind: 'failed'; readonly endpoints: readonly EndpointSnapshot[]; readonly error: ApiError };

const FAST_MS = 1_000;
const SLOW_MS = 10_000;
/** How long a change that was just asked for is watched closely even if nothing seems to move. */
const ALERT_MS = 15_000;

/** The endpoints of the current connection, polled while somebody looks: fast while something is changing. */
export class EndpointStore implements vscode.Disposable {
  readonly #connections: ConnectionStore;
  readonly #clock: Clock;
  readonly #poller: Poller;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  readonly #deleting = new Set<string>();
  #state: EndpointsState = { kind: 'idle' };
  #watched = false;
  #failures = 0;
  #alertUntil = 0;
  /** Rounds begun, and the latest of those that were shown: a slow answer must not replace a newer one. */
  #begun = 0;
  #shown = 0;

  constructor(connections: ConnectionStore, clock: Clock) {
    this.#connections = connections;
    this.#clock = clock;
    this.#poller = new Poller({ clock, poll: (signal) => this.#poll(signal), interval: () => this.#interval() });
    this.#subscription = connections.onDidChange(() => this.#onConnection());
  }

  get state(): EndpointsState {
    return this.#state;
  }

  /** All endpoints that are known, whether or not the last round succeeded. */
  get endpoints(): readonly EndpointSnapshot[] {
    return 'endpoints' in this.#state ? this.#state.endpoints : [];
  }

  find(endpointId: string): EndpointSnapshot | undefined {
    return this.endpoints.find(({ endpoint }) => endpoint.id === endpointId);
  }

  /** Says whether somebody looks: the view is visible and the window has the focus. */
  setWatched(watched: boolean): void {
    this.#watched = watched;
    this.#poller.setOn(watched && this.#connections.client !== undefined);
  }

  /** Reads everything now and returns when it is there, watched or not. */
  async refresh(): Promise<void> {
    this.#alertUntil = this.#clock.now() + ALERT_MS;
    await this.#poll(new AbortController().signal);
    this.#poller.wake();
  }

  /** Deletes an endpoint, marked as being deleted meanwhile. @throws ApiError */
  async delete(client: Client, endpointId: string): Promise<void> {
    this.#deleting.add(endpointId);
    this.#render(this.endpoints);
    try {
      await client.deleteEndpoint({ id: endpointId });
      this.#render(this.endpoints.filter(({ endpoint }) => endpoint.id !== endpointId));
    } finally {
      this.#deleting.delete(endpointId);
      await this.refresh();
    }
  }

  dispose(): void {
    this.#poller.setOn(false);
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #onConnection(): void {
    const { client } = this.#connections;
    this.#poller.setOn(false);
    this.#failures = 0;
    this.#set(client ? { kind: 'loading' } : { kind: 'idle' });
    this.#poller.setOn(this.#watched && client !== undefined);
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { client } = this.#connections;
    if (!client) return;
    const round = ++this.#begun;
    const isStale = () => client !== this.#connections.client || signal.aborted || round < this.#shown;
    try {
      const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal });
      const snapshots = await Promise.all(endpoints.map((endpoint) => this.#snapshot(client, endpoint, signal)));
      if (isStale()) return;
      this.#shown = round;
      this.#failures = 0;
      this.#render(snapshots);
    } catch (error) {
      if (isStale()) return;
      this.#shown = round;
      this.#failures++;
      this.#set({ kind: 'failed', endpoints: this.endpoints, error: error as ApiError });
    }
  }

  async #snapshot(client: Client, endpoint: Endpoint, signal: AbortSignal): Promise<EndpointSnapshot> {
    // One endpoint whose workers cannot be listed (just deleted, say) must not hide the others.
    const workers = await client.listEndpointWorkers({ id: endpoint.id }, { signal }).catch(() => undefined);
    return { endpoint, workers, deleting: this.#deleting.has(endpoint.id) };
  }

  #render(endpoints: readonly EndpointSnapshot[]): void {
    const current = endpoints.map((snapshot) => ({ ...snapshot, deleting: this.#deleting.has(snapshot.endpoint.id) }));
    this.#set({ kind: 'ready', endpoints: current });
  }

  #set(state: EndpointsState): void {
    this.#state = state;
    this.#changed.fire();
  }

  #interval(): number {
    if (this.#failures > 0) return Math.min(SLOW_MS * 2 ** (this.#failures - 1), 60_000);
    const changing = this.endpoints.some(({ workers }) => isChanging(workers));
    return changing || this.#clock.now() < this.#alertUntil ? FAST_MS : SLOW_MS;
  }
}

function isChanging(workers: WorkerList | undefined): boolean {
  const { initializing = 0, running = 0 } = workers?.summary ?? {};
  return initializing + running > 0;
}
