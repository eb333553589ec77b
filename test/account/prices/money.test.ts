import assert from 'node:assert/strict';
import { cents, precise, pricePerHour, priceRangePerHour } from '../../../src/account/prices/money.ts';

describe('An amount of money', () => {
  it('has cents, or three significant digits below one dollar', () => {
    assert.deepEqual([0, 0.0000123, 0.07, 0.9876, 1.5, 1234.5].map(precise), [
      '$0.00',
      '$0.0000123',
      '$0.07',
      '$0.988',
      '$1.50',
      '$1,234.50',
    ]);
  });

  it('has only cents where it changes often', () => {
    assert.deepEqual([0, 0.001, 0.01, 0.126, 12, 1234.5, -2].map(cents), [
      '$0',
      '<$0.01',
      '$0.01',
      '$0.13',
      '$12.00',
      '$1,234.50',
      '-$2.00',
    ]);
  });

  it('can be a price per hour or a range of prices', () => {
    assert.equal(pricePerHour(0.072), '$0.072/h');
    assert.equal(priceRangePerHour([0.69, 0.44]), '$0.44–$0.69/h');
    assert.equal(priceRangePerHour([1, 1]), '$1.00/h');
    assert.equal(priceRangePerHour([]), undefined);
  });
});
