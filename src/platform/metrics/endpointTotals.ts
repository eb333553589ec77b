import { Measured } from '../domain/measured.ts';
import type { EndpointMeter } from './endpointMeter.ts';

/** Maximum number of endpoints with series of their own. */
const MAX_ENDPOINTS = 500;

/**
 * Measurements of each endpoint since the first scrape after the start. Endpoints beyond the limit, which were active least recently,
 * share one value, so that the number of series does not grow with the number of endpoints. No value ever decreases.
 */
export class EndpointTotals {
  readonly others = new Measured();
  readonly #maxEndpoints: number;
  readonly #own = new Set<EndpointMeter>();

  constructor(maxEndpoints = MAX_ENDPOINTS) {
    this.#maxEndpoints = maxEndpoints;
  }

  /** Begins to measure an endpoint. */
  add(meter: EndpointMeter): void {
    if (this.#own.size >= this.#maxEndpoints) meter.totals = this.others;
    else this.#promote(meter);
  }

  forget(meter: EndpointMeter): void {
    this.#own.delete(meter);
  }

  /** Returns the endpoints with totals of their own: those that were active last. */
  select(all: Iterable<EndpointMeter>): ReadonlySet<EndpointMeter> {
    const meters = [...all];
    if (meters.length <= this.#maxEndpoints) for (const meter of meters) this.#promote(meter);
    else {
      meters.sort((one, other) => other.lastActive - one.lastActive);
      for (const [index, meter] of meters.entries()) {
        if (index < this.#maxEndpoints) this.#promote(meter);
        else {
          this.#own.delete(meter);
          meter.totals = this.others;
        }
      }
    }
    return this.#own;
  }

  #promote(meter: EndpointMeter): void {
    if (this.#own.has(meter)) return;
    this.#own.add(meter);
    meter.totals = new Measured();
  }
}
