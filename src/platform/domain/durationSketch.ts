import { DDSketch } from '@datadog/sketches-js';
import { QUANTILE_ERROR } from '../../contract/control/controlMetrics.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

/** Maximum number of different bins that a stored sketch can have. Durations from a nanosecond to a million years need fewer. */
const MAX_BINS = 4_096;

/**
 * Durations in ms, in bounded memory. Their number, their sum, and their maximum are exact, and a quantile is at most `QUANTILE_ERROR` off.
 */
export class DurationSketch {
  readonly #sketch = new DDSketch({ relativeAccuracy: QUANTILE_ERROR });

  get count(): number {
    return this.#sketch.count;
  }

  get sum(): number {
    return this.#sketch.sum;
  }

  get max(): number {
    return this.#sketch.max;
  }

  add(ms: number): void {
    this.#sketch.accept(Math.max(0, ms));
  }

  /** Adds all durations of another sketch. */
  merge(other: DurationSketch): void {
    this.#sketch.merge(other.#sketch);
  }

  /** Returns the duration at a quantile from 0 to 1. Requires a duration. */
  quantile(quantile: number): number {
    const { min, max } = this.#sketch;
    return Math.min(max, Math.max(min, this.#sketch.getValueAtQuantile(quantile)));
  }

  /** Returns the number of durations up to each of the bounds, which increase. A bound is at most `QUANTILE_ERROR` off. */
  countsUpTo(bounds: readonly number[]): number[] {
    const { mapping, zeroCount } = this.#sketch;
    const bins = [...this.#bins()];
    let next = 0;
    let count = zeroCount;
    return bounds.map((bound) => {
      const last = mapping.key(bound);
      for (let bin = bins[next]; bin && bin.key <= last; bin = bins[++next]) count += bin.count;
      return count;
    });
  }

  /** Writes the sketch. Only the bins with durations are stored, which are few. */
  write(writer: ByteWriter): void {
    const { min, max, sum, zeroCount } = this.#sketch;
    for (const value of [min, max, sum]) writer.float(value);
    writer.count(zeroCount);
    const bins = [...this.#bins()];
    writer.count(bins.length);
    let previous = 0;
    for (const { key, count } of bins) {
      writer.integer(key - previous);
      writer.count(count);
      previous = key;
    }
  }

  /** @throws RangeError if the bytes are not those of a sketch */
  static read(reader: ByteReader): DurationSketch {
    const result = new DurationSketch();
    const sketch = result.#sketch;
    [sketch.min, sketch.max, sketch.sum] = [reader.float(), reader.float(), reader.float()];
    sketch.zeroCount = reader.count();
    const bins = reader.count();
    if (bins > MAX_BINS) throw new RangeError('too many bins');
    let key = 0;
    for (let bin = 0; bin < bins; bin++) {
      key += reader.integer();
      if (Math.abs(key) > MAX_BINS) throw new RangeError('a bin outside the range');
      sketch.store.add(key, reader.count());
    }
    sketch.count = sketch.zeroCount + sketch.store.count;
    if (
      sketch.count === 0 ||
      !(sketch.min >= 0 && sketch.min <= sketch.max && sketch.max < Infinity && sketch.sum >= 0)
    )
      throw new RangeError('the sketch contradicts itself');
    return result;
  }

  *#bins(): Generator<{ readonly key: number; readonly count: number }> {
    const { bins, offset } = this.#sketch.store;
    for (const [index, count] of bins.entries()) if (count > 0) yield { key: index + offset, count };
  }
}
