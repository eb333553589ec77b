import { randomUUID } from 'node:crypto';
import type {
  ActiveDisturbance,
  Disturbance,
  DisturbanceEffect,
  WorkerMessage,
} from '../../contract/control/controlDisturbances.ts';

/** Disturbances of an endpoint, which count the messages of its workers. Each happens once. */
export class Disturbances {
  #all: readonly ActiveDisturbance[] = [];

  list(): readonly ActiveDisturbance[] {
    return this.#all;
  }

  add(disturbance: Disturbance): ActiveDisturbance {
    const active = { ...disturbance, id: randomUUID(), seen: 0, happened: false };
    this.#all = [...this.#all, active];
    return active;
  }

  /** Counts a message. Returns the effect that happens at it. */
  next(message: WorkerMessage): DisturbanceEffect | undefined {
    if (this.#all.length === 0) return undefined;
    let effect: DisturbanceEffect | undefined;
    this.#all = this.#all.map((one) => {
      if (one.message !== message) return one;
      const seen = one.seen + 1;
      const happens = effect === undefined && !one.happened && seen >= one.at;
      if (happens) ({ effect } = one);
      return { ...one, seen, happened: one.happened || happens };
    });
    return effect;
  }
}
