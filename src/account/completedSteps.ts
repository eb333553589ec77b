import { Emitter } from '../kit/emitter.ts';
import type { StateStorage } from '../kit/keyedState.ts';

/** Steps of the walkthrough, in order. */
export const FIRST_STEPS = ['platform', 'endpoint', 'job', 'logs', 'billing', 'hosted'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

const KEY = 'cloudCompute.firstSteps.completed';

/** Stores the steps of the walkthrough that the user has completed. A completed step stays completed. */
export class CompletedSteps {
  readonly #storage: StateStorage;
  readonly #onError: (error: unknown) => void;
  readonly #changed = new Emitter<FirstStep>();
  /** Fires with each step that is completed for the first time. */
  readonly onDidComplete = this.#changed.event;
  readonly #steps: Set<FirstStep>;

  /** @param onError receives failures of the storage. The steps are then completed only until the window closes. */
  constructor(storage: StateStorage, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#onError = onError;
    this.#steps = new Set(this.#read());
  }

  has(step: FirstStep): boolean {
    return this.#steps.has(step);
  }

  complete(step: FirstStep): void {
    if (this.#steps.has(step)) return;
    this.#steps.add(step);
    this.#changed.fire(step);
    // Another window can have completed other steps, and another release can have others.
    const all = new Set([...this.#stored(), ...this.#steps]);
    this.#storage.update(KEY, [...all]).then(undefined, this.#onError);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Ignores entries of other releases. */
  #read(): readonly FirstStep[] {
    const stored = this.#stored();
    return FIRST_STEPS.filter((step) => stored.includes(step));
  }

  #stored(): readonly string[] {
    const stored = this.#storage.get(KEY);
    return Array.isArray(stored) ? stored.filter((step) => typeof step === 'string') : [];
  }
}
