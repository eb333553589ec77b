import { randomUUID } from 'node:crypto';
import type { ActiveFault, Fault } from '../../contract/control/control.ts';
import { notFound } from '../domain/refusal.ts';
import type { KnownOperation } from './operationOf.ts';

/** Injected faults that are waiting for requests. */
export class Faults {
  readonly #active = new Map<string, ActiveFault>();
  readonly #random: () => number;

  /** @param random returns a number from 0 to 1, like `Math.random` */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  list(): ActiveFault[] {
    return [...this.#active.values()];
  }

  add(fault: Fault): ActiveFault {
    const active = { ...fault, id: randomUUID(), hits: 0 };
    this.#active.set(active.id, active);
    return active;
  }

  /** @throws Refusal 404 */
  remove(id: string): void {
    if (!this.#active.delete(id)) throw notFound(`fault '${id}'`);
  }

  clear(): void {
    this.#active.clear();
  }

  get isEmpty(): boolean {
    return this.#active.size === 0;
  }

  /** Returns the oldest fault that applies to a request of the operation. Removes a fault that has reached its count. */
  next(operation: KnownOperation | undefined): ActiveFault | undefined {
    for (const fault of this.#active.values()) {
      if (fault.operation !== '*' && fault.operation !== operation) continue;
      if (fault.rate < 1 && this.#random() >= fault.rate) continue;
      const hit = { ...fault, hits: fault.hits + 1 };
      if (hit.hits === fault.count) this.#active.delete(fault.id);
      else this.#active.set(fault.id, hit);
      return hit;
    }
    return undefined;
  }
}
