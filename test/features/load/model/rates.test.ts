import assert from 'node:assert/strict';
import { parseRates, ratesText } from '../../../../src/features/load/model/arrivals.ts';

describe('the rates of a load test', () => {
  for (const [text, rates] of [
    ['5', { rate: 5, rampTo: 5, arrivals: 'constant' }],
    [' 0.5-50 ', { rate: 0.5, rampTo: 50, arrivals: 'constant' }],
    ['0-10', { rate: 0, rampTo: 10, arrivals: 'constant' }],
    ['5 random', { rate: 5, rampTo: 5, arrivals: 'poisson' }],
    ['5-50  random', { rate: 5, rampTo: 50, arrivals: 'poisson' }],
  ] as const)
    it(`are read from “${text}”, and written so that they are read again`, () => {
      assert.deepEqual(parseRates(text), rates);
      assert.deepEqual(parseRates(ratesText(rates)), rates);
    });

  for (const text of ['', '0', '-5', '5-', '10001', '5 50', 'random', '5random', '1e3'])
    it(`are not “${text}”`, () => {
      assert.equal(parseRates(text), undefined);
    });
});
