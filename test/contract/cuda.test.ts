import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compareCudaVersions } from '../../src/contract/catalogRules.ts';

describe('comparing CUDA versions', () => {
  it('compares numbers, not text', () => {
    assert.ok(compareCudaVersions('12.11', '12.2') > 0);
    assert.ok(compareCudaVersions('9.2', '12.0') < 0);
    assert.equal(compareCudaVersions('12.4', '12.4'), 0);
  });

  it('treats a version without a minor number like minor version 0', () => {
    assert.equal(compareCudaVersions('12', '12.0'), 0);
  });

  it('compares major before minor numbers, in both directions', () => {
    const part = fc.nat(99);
    fc.assert(
      fc.property(part, part, part, part, (a, b, c, d) => {
        const order = Math.sign(compareCudaVersions(`${a}.${b}`, `${c}.${d}`));
        assert.equal(order, Math.sign(a * 100 + b - (c * 100 + d)));
        assert.equal(Math.sign(compareCudaVersions(`${c}.${d}`, `${a}.${b}`)), order === 0 ? 0 : -order);
      }),
    );
  });
});
