import { DDSketch } from '@datadog/sketches-js';

/** Largest relative error of a quantile. */
const RELATIVE_ERROR = 0.01;

/** Latencies in ms, in a sketch whose size does not grow with their number. A quantile is at most 1 % off. */
export class Latencies {
  readonly #sketch = new DDSketch({ relativeAccuracy: RELATIVE_ERROR });

  get count(): number {
    return this.#sketch.count;
  }

  /** Exact. Undefined without latencies. */
  get max(): number | undefined {
    return this.count === 0 ? undefined : this.#sketch.max;
  }

  /** Exact. Undefined without latencies. */
  get mean(): number | undefined {
    return this.count === 0 ? undefined : this.#sketch.sum / this.count;
  }

  add(ms: number): void {
    this.#sketch.accept(Math.max(0, ms));
  }

  /** Adds all latencies of another sketch. */
  merge(other: Latencies): void {
    this.#sketch.merge(other.#sketch);
  }

  /** Returns the latency at a quantile from 0 to 1. Undefined without latencies. */
  quantile(quantile: number): number | undefined {
    if (this.count === 0) return undefined;
    const { min, max } = this.#sketch;
    return Math.min(max, Math.max(min, this.#sketch.getValueAtQuantile(quantile)));
  }
}
