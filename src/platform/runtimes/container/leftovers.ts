import type { Engine } from '../../../machine/engine/engine.ts';
import type { EngineWatch } from './engineWatch.ts';

/** Containers to remove once the engine can be reached: those of a killed platform, and those that could not be removed. */
export class Leftovers {
  readonly #watch: EngineWatch;
  readonly #remove: (engine: Engine, runIds: ReadonlySet<string>) => Promise<unknown>;
  readonly #runs = new Set<string>();
  #stopListening: (() => void) | undefined;

  /** @param remove removes the containers of these runs; rejects if the engine cannot be reached */
  constructor(watch: EngineWatch, remove: (engine: Engine, runIds: ReadonlySet<string>) => Promise<unknown>) {
    this.#watch = watch;
    this.#remove = remove;
  }

  /** Removes the containers of these runs now, or once the engine is back. */
  add(runIds: Iterable<string>): void {
    for (const runId of runIds) this.#runs.add(runId);
    this.#stopListening?.();
    this.#stopListening = undefined;
    if (this.#runs.size === 0) return;
    const ignore = (): void => undefined;
    const onConnected = (engine: Engine): void => void this.#sweep(engine);
    // The watch may call the listener at once.
    queueMicrotask(() => (this.#stopListening ??= this.#watch.add({ onConnected, onEnded: ignore, onLost: ignore })));
  }

  async #sweep(engine: Engine): Promise<void> {
    const runs = new Set(this.#runs);
    try {
      await this.#remove(engine, runs);
    } catch {
      // The next connection repeats it.
      return;
    }
    for (const run of runs) this.#runs.delete(run);
    if (this.#runs.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }
}
