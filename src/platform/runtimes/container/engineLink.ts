import { EngineError } from '../../../machine/engine/engineApi.ts';
import { openEngine, type Engine } from '../../../machine/engine/engine.ts';
import { addressFailure, engineUnreachable } from './engineFailure.ts';
import { featuresOf, type EngineFeatures } from './engineFeatures.ts';
import type { EngineRoute } from '../../../machine/engine/engineRoute.ts';

export interface LinkedEngine {
  readonly engine: Engine;
  readonly features: EngineFeatures;
}

/** Finds the engine with the first use, and keeps it while it is in use. */
export class EngineLink {
  readonly #find: () => Promise<EngineRoute | undefined>;
  #opening: Promise<LinkedEngine | undefined> | undefined;
  /** Kept after a failure, because the containers of this platform are on this engine. */
  #route: EngineRoute | undefined;

  constructor(find: () => Promise<EngineRoute | undefined>) {
    this.#find = find;
  }

  /**
   * Resolves with the engine once it has answered; undefined if there is none. Concurrent calls share the attempt, and a failed attempt is
   * repeated with the next call.
   *
   * @throws StartError engineMissing for an invalid address, engineUnreachable; the signal's reason
   */
  async open(signal?: AbortSignal): Promise<LinkedEngine | undefined> {
    signal?.throwIfAborted();
    if (!this.#opening) {
      const opening = this.#open();
      this.#opening = opening;
      const reset = (): void => {
        if (this.#opening === opening) this.#opening = undefined;
      };
      opening.then((linked) => linked ?? reset(), reset);
    }
    return signal ? unlessAborted(this.#opening, signal) : this.#opening;
  }

  /** The way that was found last; undefined if there is none. */
  get route(): EngineRoute | undefined {
    return this.#route;
  }

  /** Searches again with the next use, because nothing of this platform is on the engine. */
  forget(): void {
    this.#opening = undefined;
    this.#route = undefined;
  }

  async #open(): Promise<LinkedEngine | undefined> {
    const route =
      this.#route ??
      (await this.#find().catch((error: unknown) => {
        throw addressFailure(error);
      }));
    this.#route = route;
    if (!route) return undefined;
    try {
      const engine = await openEngine(route);
      return { engine, features: await featuresOf(engine) };
    } catch (error) {
      throw error instanceof EngineError ? engineUnreachable(route, error) : error;
    }
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
