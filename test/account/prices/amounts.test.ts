import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decimal, dollars, sumOf, trillionths } from '../../../src/account/prices/amounts.ts';

describe('exact amounts', () => {
  const cases: [amount: number, text: string][] = [
    [0, '0'],
    [-0, '0'],
    [0.1 + 0.2, '0.3'],
    [0.0000004, '0.0000004'],
    [-0.000000000001, '-0.000000000001'],
    [4e-13, '0'],
    [6e-13, '0.000000000001'],
    [100, '100'],
    [123456.789, '123456.789'],
    [1e21, '1000000000000000000000'],
    [Number.NaN, '0'],
    [Number.POSITIVE_INFINITY, '0'],
  ];
  for (const [amount, text] of cases) {
    it(`writes ${amount} as ${text}`, () => assert.equal(decimal(trillionths(amount)), text));
  }

  it('sums without rounding errors', () => {
    assert.equal(sumOf(new Array<number>(10).fill(0.1)), 1);
    assert.equal(sumOf([1e9, 0.000000001, -1e9]), 0.000000001);
  });

  it('converts nano-dollars to trillionths and back without a change', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e15, max: 1e15 }), (nano) => {
        assert.equal(dollars(trillionths(nano / 1e9)), nano / 1e9 + 0);
      }),
    );
  });
});
