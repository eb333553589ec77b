import assert from 'node:assert/strict';
import fc from 'fast-check';
import { joinAmount, nanoUsd, splitAmount, usd } from '../../../src/platform/domain/money.ts';

const EXACT = BigInt(Number.MAX_SAFE_INTEGER);

describe('Amounts of money', () => {
  it('round dollars half up to the nano-dollar', () => {
    assert.deepEqual([0, 0.4e-9, 0.5e-9, 1.4e-9, 1.5e-9, 2.5e-9, 0.02, 1_000_000].map(nanoUsd), [
      0n,
      0n,
      1n,
      1n,
      2n,
      3n,
      20_000_000n,
      1_000_000_000_000_000n,
    ]);
  });

  it('are the nearest number of dollars, at both ends of the exact range and beyond it', () => {
    for (const sign of [1n, -1n]) {
      for (const amount of [
        EXACT - 1n,
        EXACT,
        EXACT + 1n,
        EXACT + 2n,
        13_790_853_142_769_216_242n,
        10n ** 19n,
        10n ** 25n + 5n,
      ]) {
        const expected = Number(`${amount / 1_000_000_000n}.${String(amount % 1_000_000_000n).padStart(9, '0')}`);
        assert.equal(usd(sign * amount), Number(sign) * expected, String(sign * amount));
      }
    }
    assert.deepEqual([usd(0n), usd(1n), usd(-1n), usd(1_500_000_000n)], [0, 1e-9, -1e-9, 1.5]);
  });

  it('can be split into dollars and nano-dollars with the same sign, and joined again', () => {
    assert.deepEqual(splitAmount(-1_500_000_001n), { dollars: -1n, nano: -500_000_001n });
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 27n), max: 10n ** 27n }), (amount) => {
        const { dollars, nano } = splitAmount(amount);
        assert.equal(joinAmount(dollars, nano), amount);
        assert.ok(nano > -1_000_000_000n && nano < 1_000_000_000n && dollars * nano >= 0n);
      }),
    );
  });
});
