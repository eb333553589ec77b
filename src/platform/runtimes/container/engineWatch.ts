import type { EventMessage } from '@docker/node-sdk';
import type { Clock } from '../../time/clock.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import { ownedBy } from './containerLabels.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import type { EngineLink } from './engineLink.ts';
import { Backoff } from '../backoff.ts';

export interface EngineListener {
  /**
   * Events arrive from now on. Earlier ones may be lost, so the listener asks the engine for the state. Called after each connection.
   */
  onConnected(engine: Engine): void;
  /** A container of this platform may have ended. */
  onEnded(containerId: string): void;
  /** The connection is lost. Called once, with the reason, until the next `onConnected`. */
  onLost(reason: string): void;
}

/** Time after which a stream of events that ends proves that the engine works, in ms. */
const LIVED_MS = 1_000;
/** Interval of the requests that detect a silently lost connection, in ms. */
const PING_INTERVAL_MS = 10_000;
const PING_TIMEOUT_MS = 10_000;
/** Events after which a container may have ended. */
const ENDS: ReadonlySet<string | undefined> = new Set(['die', 'oom', 'destroy', 'remove']);

/** Resolves once the engine has answered. @throws EngineError; the signal's reason */
export async function ping({ api }: Engine, signal: AbortSignal): Promise<void> {
  (await api.stream({ path: '/_ping', signal, timeoutMs: PING_TIMEOUT_MS })).destroy();
}

/** The signal can be aborted while the code waits. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted;

/** Follows the events of the engine while something listens, and reconnects. */
export class EngineWatch {
  readonly #link: EngineLink;
  readonly #owner: string;
  readonly #clock: Clock;
  readonly #listeners = new Set<EngineListener>();
  #connected: Engine | undefined;
  #lost: string | undefined;
  #running: AbortController | undefined;

  constructor(link: EngineLink, owner: string, clock: Clock) {
    this.#link = link;
    this.#owner = owner;
    this.#clock = clock;
  }

  /** Whether something listens, so containers of this platform may be on the engine. */
  get inUse(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a listener, and calls it with the current state. Returns a function that removes it. */
  add(listener: EngineListener): () => void {
    this.#listeners.add(listener);
    if (this.#connected) listener.onConnected(this.#connected);
    else if (this.#lost !== undefined) listener.onLost(this.#lost);
    if (!this.#running) {
      this.#running = new AbortController();
      void this.#run(this.#running.signal);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#stop();
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#connected = undefined;
    this.#lost = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#clock);
    while (!signal.aborted) {
      let connectedAt: number | undefined;
      let failure: Error | undefined;
      try {
        const linked = await this.#link.open(signal);
        if (!linked) throw new Error('no container engine was found');
        await this.#follow(linked.engine, signal, () => (connectedAt = this.#clock.now()));
      } catch (error) {
        failure = error as Error;
      }
      if (isAborted(signal)) return;
      const hasLived = connectedAt !== undefined && this.#clock.now() - connectedAt >= LIVED_MS;
      if (hasLived) backoff.reset();
      if (failure) this.#setLost(failure.message);
      if (failure || !hasLived) await backoff.pause(signal);
    }
  }

  /** Resolves when the stream of events ends, as when the engine stops. @throws EngineError if it cannot be opened, or breaks */
  async #follow(engine: Engine, signal: AbortSignal, onConnected: () => void): Promise<void> {
    const { api, prefix } = engine;
    const broken = new AbortController();
    const both = AbortSignal.any([signal, broken.signal]);
    const query = { filters: ownedBy(this.#owner) };
    // The first request tells whether the engine answers at all, because some engines accept connections before they work.
    await ping(engine, signal);
    const events = await api.openLines<EventMessage>({ path: `${prefix}/events`, query, signal: both });
    const stopPinging = this.#ping(engine, broken);
    try {
      onConnected();
      this.#setConnected(engine);
      for await (const { Action: action, Actor: { ID: id } = {} } of events) {
        if (id !== undefined && ENDS.has(action)) for (const one of [...this.#listeners]) one.onEnded(id);
      }
    } finally {
      stopPinging();
      this.#connected = undefined;
    }
  }

  /** Aborts `broken` once the engine does not answer in time. Returns a function that ends the requests. */
  #ping(engine: Engine, broken: AbortController): () => void {
    let cancel = (): void => undefined;
    const next = (): void => {
      cancel = this.#clock.after(PING_INTERVAL_MS, () => {
        ping(engine, broken.signal).then(next, (error: unknown) => broken.abort(error));
      });
    };
    next();
    return () => {
      cancel();
      cancel = () => undefined;
      broken.abort(new EngineError('the stream of events has ended', {}));
    };
  }

  #setConnected(engine: Engine): void {
    this.#connected = engine;
    this.#lost = undefined;
    for (const listener of [...this.#listeners]) listener.onConnected(engine);
  }

  #setLost(reason: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    for (const listener of [...this.#listeners]) listener.onLost(reason);
  }
}
