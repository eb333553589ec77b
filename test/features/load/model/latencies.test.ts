import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Latencies } from '../../../../src/features/load/model/latencies.ts';

/** Rounding of floating-point numbers, in addition to the error of the sketch. */
const LARGEST_ERROR = 0.01 + 1e-9;

const values = fc.array(fc.double({ min: 0.001, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 400 });
const quantiles = [0, 0.5, 0.9, 0.99, 0.999, 1];

function latenciesOf(ms: readonly number[]): Latencies {
  const latencies = new Latencies();
  for (const value of ms) latencies.add(value);
  return latencies;
}

function assertQuantiles(latencies: Latencies, ms: readonly number[]): void {
  const sorted = ms.toSorted((a, b) => a - b);
  for (const quantile of quantiles) {
    const exact = sorted[Math.floor(quantile * (sorted.length - 1))] ?? NaN;
    const found = latencies.quantile(quantile) ?? NaN;
    assert.ok(Math.abs(found - exact) <= exact * LARGEST_ERROR, `${quantile}: ${found} instead of ${exact}`);
  }
}

describe('latencies', () => {
  it('have quantiles with an error of at most 1 %', () => {
    fc.assert(fc.property(values, (ms) => assertQuantiles(latenciesOf(ms), ms)));
  });

  it('have the quantiles of all after a merge', () => {
    fc.assert(
      fc.property(values, values, (first, second) => {
        const merged = latenciesOf(first);
        merged.merge(latenciesOf(second));
        assertQuantiles(merged, [...first, ...second]);
        assert.equal(merged.count, first.length + second.length);
        assert.equal(merged.max, Math.max(...first, ...second));
      }),
    );
  });

  it('have no quantiles without values', () => {
    const { max, mean, count } = new Latencies();
    assert.deepEqual([new Latencies().quantile(0.5), max, mean, count], [undefined, undefined, undefined, 0]);
  });
});
