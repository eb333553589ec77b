import { DDSketch } from '@datadog/sketches-js';
import { QUANTILE_ERROR } from '../../contract/control/controlMetrics.ts';
import { ByteWriter, type ByteReader } from './bytes.ts';

/** Maximum number of a bin, in both directions from that of 1 ms. Durations from a nanosecond to a million years have smaller ones. */
const MAX_KEY = 4_096;

/** Reused, because transactions with jobs encode sketches. */
const shared = new ByteWriter();

/**
 * Durations in ms, in bounded memory. Their number, their sum, and their maximum are exact, and a quantile is at most `QUANTILE_ERROR` off.
 */
export class DurationSketch {
  readonly #sketch = new DDSketch({ relativeAccuracy: QUANTILE_ERROR });
  /** The stored form, until the next change. Most transactions change none of the sketches that they store. */
  #encoded: Uint8Array | undefined;

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
    this.#encoded = undefined;
    this.#sketch.accept(Math.max(0, ms));
  }

  /** Adds all durations of another sketch. */
  merge(other: DurationSketch): void {
    this.#encoded = undefined;
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
    writer.bytes((this.#encoded ??= this.#encode()));
  }

  #encode(): Uint8Array {
    const { min, max, sum, zeroCount, store } = this.#sketch;
    for (const value of [min, max, sum]) shared.float(value);
    shared.count(zeroCount);
    const { bins, offset } = store;
    const end = Math.min(bins.length, store.maxKey - offset + 1);
    const begin = Math.max(0, store.minKey - offset);
    let filled = 0;
    for (let index = begin; index < end; index++) if (bins[index]) filled++;
    shared.count(filled);
    let previous = 0;
    for (let index = begin; index < end; index++) {
      const count = bins[index];
      if (!count) continue;
      shared.integer(index + offset - previous);
      shared.count(count);
      previous = index + offset;
    }
    return shared.take();
  }

  /** @throws RangeError if the bytes are not those of a sketch */
  static read(reader: ByteReader): DurationSketch {
    const result = new DurationSketch();
    const sketch = result.#sketch;
    [sketch.min, sketch.max, sketch.sum] = [reader.float(), reader.float(), reader.float()];
    sketch.zeroCount = reader.count();
    const bins = reader.count();
    if (bins > 2 * MAX_KEY + 1) throw new RangeError('too many bins');
    const keys: number[] = [];
    const counts: number[] = [];
    let key = 0;
    for (let bin = 0; bin < bins; bin++) {
      const step = reader.integer();
      if (bin > 0 && step <= 0) throw new RangeError('bins out of order');
      key += step;
      keys.push(key);
      counts.push(reader.count());
    }
    const [first = 0] = keys;
    if (Math.abs(first) > MAX_KEY || Math.abs(key) > MAX_KEY) throw new RangeError('a bin outside the range');
    if (bins > 0) fill(sketch.store, first, keys, counts);
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

/** Fills an empty store at once, because adding the bins one by one takes several times as long. */
function fill(store: DDSketch['store'], first: number, keys: readonly number[], counts: readonly number[]): void {
  const last = keys.at(-1) ?? first;
  const length = Math.ceil((last - first + 1) / store.chunkSize) * store.chunkSize;
  const bins = new Array<number>(length).fill(0);
  let sum = 0;
  for (let index = 0; index < keys.length; index++) {
    const count = counts[index] ?? 0;
    bins[(keys[index] ?? first) - first] = count;
    sum += count;
  }
  Object.assign(store, { bins, count: sum, minKey: first, maxKey: last, offset: first });
}
