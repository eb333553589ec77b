import { randomUUID } from 'node:crypto';
import type {
  ActiveDisturbance,
  Disturbance,
  DisturbanceEffect,
  WorkerMessage,
} from '../../contract/control/controlDisturbances.ts';

/** The effect of a disturbance at a message. */
interface Happening {
  readonly effect: DisturbanceEffect;
  /** Resolves once the message may be answered. Call it once the effect has happened. */
  readonly released: () => Promise<void>;
}

interface Hold {
  readonly message: WorkerMessage;
  /** Number of further messages that release it. */
  left: number;
  readonly release: () => void;
}

/** Disturbances of an endpoint, which count the messages of its workers. Each happens once. */
export class Disturbances {
  #all: readonly ActiveDisturbance[] = [];
  #holds: readonly Hold[] = [];

  list(): readonly ActiveDisturbance[] {
    return this.#all;
  }

  add(disturbance: Disturbance): ActiveDisturbance {
    const active = { ...disturbance, id: randomUUID(), seen: 0, happened: false };
    this.#all = [...this.#all, active];
    return active;
  }

  /** Counts a message. Returns what happens at it. */
  next(message: WorkerMessage): Happening | undefined {
    if (this.#all.length === 0) return undefined;
    for (const hold of this.#holds) if (hold.message === message) hold.left--;
    this.#release(({ left }) => left <= 0);
    const found = this.#all.find((one) => one.message === message && !one.happened && one.seen + 1 >= one.at);
    this.#all = this.#all.map((one) =>
      one.message === message ? { ...one, seen: one.seen + 1, happened: one.happened || one === found } : one,
    );
    if (!found) return undefined;
    const { effect, holdFor } = found;
    return { effect, released: () => this.#hold(message, holdFor) };
  }

  /** Releases every held answer, because a result was handled or a process has ended. */
  releaseAll(): void {
    this.#release(() => true);
  }

  #hold(message: WorkerMessage, left: number | undefined): Promise<void> {
    if (left === undefined) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#holds = [...this.#holds, { message, left, release: resolve }];
    return promise;
  }

  #release(isReleased: (hold: Hold) => boolean): void {
    const released = this.#holds.filter(isReleased);
    if (released.length === 0) return;
    this.#holds = this.#holds.filter((hold) => !isReleased(hold));
    for (const { release } of released) release();
  }
}
