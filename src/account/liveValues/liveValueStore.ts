import type { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import { type Connected, ConnectedPoller } from '../connectedPoller.ts';
import { Emitter, type Subscription } from '../../kit/emitter.ts';
import type { Log } from '../../kit/log.ts';
import type { LiveValues } from './liveValues.ts';
import { LIST_NAMES, liveLists, type ListName } from './liveLists.ts';
import { retryDelayMs, STALE_MS } from './retryDelay.ts';

/** Maximum number of entries that are kept of each list. */
const MAX_ENTRIES = 5_000;

const NOTHING: LiveValues = {};

export interface LiveValueSources {
  readonly connections: Connected;
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug'>;
}

/** State of a list's reads. Times are milliseconds since the epoch. */
interface Reads {
  /** Aborts the read in progress. Undefined if none is. */
  readonly current?: AbortController | undefined;
  /** Time from which another read is useful. */
  readonly dueAt: number;
  readonly failures: number;
}

/**
 * Values that the current connection offers for the fields of a manifest. Each list is read in the background on request, and kept for
 * five minutes. An outdated list stays visible until its next read succeeds. A failed read affects only its own list.
 */
export class LiveValueStore implements Subscription {
  readonly #sources: LiveValueSources;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: Subscription;
  readonly #reads = new Map<ListName, Reads>();
  #client: Client | undefined;
  #connection = new AbortController();
  #values = NOTHING;
  #disposed = false;

  constructor(sources: LiveValueSources) {
    this.#sources = sources;
    this.#client = sources.connections.client;
    this.#subscription = sources.connections.onDidChange(() => this.#follow());
  }

  /** The values of the current connection. Lists that have not been read are undefined. */
  get current(): LiveValues {
    // Other listeners of the connection can run before this store's listener.
    return this.#client === this.#sources.connections.client ? this.#values : NOTHING;
  }

  /** Starts to read the missing and outdated ones of these lists. Default: all lists. Does nothing without a platform to call. */
  request(names: readonly ListName[] = LIST_NAMES): void {
    this.#follow();
    const client = this.#client;
    if (!client || this.#disposed) return;
    const now = this.#sources.clock.now();
    for (const name of names) {
      const { current, dueAt } = this.#readsOf(name);
      if (!current && dueAt <= now) void this.#read(name, client);
    }
  }

  /**
   * Reads a list again that has changed, such as after a new credential. A read in progress is aborted, because it can return the list
   * before the change. A list that was never read is read on request.
   */
  refresh(name: ListName): void {
    const known = this.#reads.get(name);
    if (!known) return;
    known.current?.abort();
    this.#reads.set(name, { ...known, current: undefined, dueAt: -Infinity });
    this.request([name]);
  }

  dispose(): void {
    this.#disposed = true;
    this.#connection.abort();
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #readsOf(name: ListName): Reads {
    return this.#reads.get(name) ?? { dueAt: -Infinity, failures: 0 };
  }

  /** Discards the values of the previous connection. Ignores changes that keep the client, such as a new name. */
  #follow(): void {
    const { client } = this.#sources.connections;
    if (client === this.#client || this.#disposed) return;
    this.#connection.abort();
    this.#connection = new AbortController();
    this.#client = client;
    this.#reads.clear();
    const had = this.#values !== NOTHING;
    this.#values = NOTHING;
    if (had) this.#changed.fire();
  }

  async #read(name: ListName, client: Client): Promise<void> {
    const { clock, log } = this.#sources;
    const before = this.#readsOf(name);
    const current = new AbortController();
    const signal = AbortSignal.any([this.#connection.signal, current.signal]);
    this.#reads.set(name, { ...before, current });
    const { title, read } = liveLists[name];
    try {
      // A background read must not delay other calls. The next request repeats it.
      const list = await read(client, { signal, retries: 0, waits: 0 });
      if (signal.aborted) return;
      this.#reads.set(name, { dueAt: clock.now() + STALE_MS, failures: 0 });
      this.#show(name, list.slice(0, MAX_ENTRIES));
    } catch (error) {
      if (signal.aborted) return;
      const delay = retryDelayMs(error as ApiError, before.failures);
      this.#reads.set(name, { dueAt: clock.now() + delay, failures: before.failures + 1 });
      log.debug(`Could not read the ${title} for manifests: ${(error as Error).message}`);
    }
  }

  /** Keeps the known list if the new one is equal, so that its readers can compare lists by identity. */
  #show<Name extends ListName>(name: Name, list: LiveValues[Name]): void {
    if (JSON.stringify(this.#values[name]) === JSON.stringify(list)) return;
    this.#values = { ...this.#values, [name]: list };
    this.#changed.fire();
  }
}

/** Interval in ms at which outdated lists are requested. The store sends a request only for lists that are due. */
const INTERVAL_MS = 10_000;

interface PollerSources {
  readonly connections: Connected;
  readonly clock: Clock;
  readonly values: Pick<LiveValueStore, 'request'>;
  /** Lists to keep up to date. Default: all lists. */
  readonly lists?: readonly ListName[];
}

/** Keeps lists of the current connection up to date while a view that needs them is visible and the window has the focus. */
export class LiveValuePoller {
  readonly #poller: ConnectedPoller;

  constructor({ connections, clock, values, lists = LIST_NAMES }: PollerSources) {
    this.#poller = new ConnectedPoller({
      connections,
      clock,
      poll: () => {
        values.request(lists);
        return Promise.resolve();
      },
      interval: () => INTERVAL_MS,
      onConnection: () => undefined,
    });
  }

  /** Sets whether a view that needs the lists is visible. */
  setVisible(visible: boolean): void {
    this.#poller.setVisible(visible);
  }

  /** Sets whether the window has the focus. */
  setFocused(focused: boolean): void {
    this.#poller.setFocused(focused);
  }

  dispose(): void {
    this.#poller.dispose();
  }
}
