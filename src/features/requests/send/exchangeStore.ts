import { randomUUID } from 'node:crypto';
import { Emitter } from '../../../kit/emitter.ts';
import type { ResolvedRequest } from '../model/httpFile.ts';
import { Exchange, type Origin } from './exchange.ts';

/** Maximum number of ended requests that are kept. */
const MAX_EXCHANGES = 200;
/** Maximum size of the bodies of ended requests that are kept, in bytes. */
const MAX_BODIES_BYTES = 128 * 1_048_576;

/** Holds the requests of this session. */
export class ExchangeStore {
  readonly #exchanges = new Map<string, Exchange>();
  readonly #changed = new Emitter<Exchange>();
  /** Fires when a request changes, also for each part of a response. */
  readonly onDidChange = this.#changed.event;

  start(request: ResolvedRequest, origin: Origin, now: number): Exchange {
    const exchange = new Exchange({ id: randomUUID(), request, origin, sentAt: now }, () => {
      if (!exchange.isActive) this.#trim();
      this.#changed.fire(exchange);
    });
    this.#exchanges.set(exchange.id, exchange);
    return exchange;
  }

  find(connectionId: string, id: string): Exchange | undefined {
    const exchange = this.#exchanges.get(id);
    return exchange?.origin.connectionId === connectionId ? exchange : undefined;
  }

  /** Returns the unfinished requests of a connection, or of all connections, newest first. */
  active(connectionId?: string): readonly Exchange[] {
    return [...this.#exchanges.values()]
      .filter(({ isActive, origin }) => isActive && (connectionId ?? origin.connectionId) === origin.connectionId)
      .reverse();
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) {
      this.#exchanges.get(id)?.cancel();
      this.#exchanges.delete(id);
    }
  }

  /** Cancels all requests. */
  dispose(): void {
    for (const exchange of this.#exchanges.values()) exchange.cancel();
    this.#changed.dispose();
  }

  /** Removes the oldest ended requests, and releases the memory of old bodies. */
  #trim(): void {
    const ended = [...this.#exchanges.values()].filter(({ isActive }) => !isActive).reverse();
    let total = 0;
    ended.forEach((exchange, index) => {
      total += exchange.size;
      if (index > 0 && total > MAX_BODIES_BYTES) exchange.dropBody();
      if (index >= MAX_EXCHANGES) this.#exchanges.delete(exchange.id);
    });
  }
}
