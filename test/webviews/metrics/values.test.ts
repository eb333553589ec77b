import assert from 'node:assert/strict';
import { largestOf, partsOf, spread } from '../../../src/webviews/charts/values.ts';
import { differenceText, durationText, durationTick, observedText } from '../../../src/webviews/metrics/words.ts';

describe('the lines of a chart', () => {
  it('are interrupted by buckets without a value', () => {
    const parts = partsOf([1, 2, null, null, 3], [0, 5], 100);
    assert.deepEqual(
      parts.map((part) => part.map(({ bar, first }) => [bar, first])),
      [
        [
          [0, 1],
          [1, 2],
        ],
        [[4, 3]],
      ],
    );
  });

  it('keep the lowest and the highest value if there are more buckets than pixels', () => {
    const values = Array.from({ length: 1_000 }, (_, index) => (index === 503 ? 90 : index === 507 ? 0 : 5));
    const [part = [], ...others] = partsOf(values, [0, 1_000], 100);
    assert.deepEqual([part.length, others.length], [100, 0]);
    assert.deepEqual(part[50], { bar: 504.5, first: 5, low: 0, high: 90, last: 5 });
  });

  it('are drawn only where they are visible', () => {
    assert.equal(largestOf([[9, 1, null, 2]], [1, 4]), 2);
    assert.equal(partsOf([9, 1, null, 2], [1, 2], 100)[0]?.length, 1);
  });
});

describe('the words of metrics', () => {
  const durations: [seconds: number, text: string][] = [
    [0.0004, '0.4 ms'],
    [0.12, '120 ms'],
    [1.234, '1.23 s'],
    [125, '2 min 5 s'],
    [11_100, '3 h 5 min'],
  ];
  for (const [seconds, text] of durations) {
    it(`format ${seconds} s as ${text}`, () => assert.equal(durationText(seconds), text));
  }

  it('have the digits on an axis that its step requires', () => {
    assert.deepEqual(
      [durationTick(0.05, 0.05), durationTick(0.5, 0.1), durationTick(2, 1), durationTick(120, 60)],
      ['50 ms', '0.5 s', '2 s', '2 min'],
    );
  });

  it('describe a change', () => {
    assert.deepEqual(
      [differenceText(2, 1), differenceText(1.1, 1), differenceText(1, 2), differenceText(1, 1), differenceText(1, 0)],
      ['×2', '+10%', '−50%', 'same', undefined],
    );
  });

  it('say since when a platform is observed, with the day if it is not today', () => {
    const since = new Date(2025, 10, 21, 10, 42).getTime();
    assert.equal(observedText(since, since + 60_000), 'Observed from here since 10:42.');
    assert.equal(observedText(since, since + 86_400_000), 'Observed from here since Nov 21, 10:42.');
    assert.equal(observedText(null, since), 'Observed from here.');
  });
});

describe('labels next to lines', () => {
  const room = { top: 0, bottom: 100, distance: 10 };

  it('stay at their values if these are apart', () => {
    assert.deepEqual(spread([5, 40, 95], room), [5, 40, 95]);
  });

  it('do not overlap at the top, in the middle, or at the bottom', () => {
    assert.deepEqual(spread([0, 1, 2], room), [0, 10, 20]);
    assert.deepEqual(spread([50, 50, 80], room), [50, 60, 80]);
    assert.deepEqual(spread([99, 100, 100], room), [80, 90, 100]);
  });
});
