import assert from 'node:assert/strict';
import { judge, parseThreshold, type Threshold } from '../../../../src/features/load/model/threshold.ts';

function thresholdOf(text: string): Threshold {
  const read = parseThreshold(text);
  assert.ok('metric' in read, `${text} is invalid`);
  return read;
}

describe('a threshold', () => {
  it('limits a percentile, the maximum, the mean, the errors, or the cost', () => {
    const values = ['p99<2s', 'p99.9 <= 500 ms', 'max<1min', 'mean<0.5s', 'errors<1%', 'cost<=$5', 'cost<0.25'].map(
      (text) => {
        const { metric, limit, isStrict } = thresholdOf(text);
        return [metric, limit, isStrict];
      },
    );
    assert.deepEqual(values, [
      [{ quantile: 0.99 }, 2_000, true],
      [{ quantile: 0.9990000000000001 }, 500, false],
      ['max', 60_000, true],
      ['mean', 500, true],
      ['errors', 0.01, true],
      ['cost', 5, false],
      ['cost', 0.25, true],
    ]);
  });

  it('is invalid without a known value, an operator, or a matching unit', () => {
    for (const text of [
      '',
      'p99',
      'p99<2',
      'p99<2%',
      'p99>2s',
      'p100<2s',
      'errors<1',
      'errors<1s',
      'cost<1s',
      'p99<$2s',
      'x<1s',
    ])
      assert.ok('problem' in parseThreshold(text), text);
  });

  it('holds below its limit, and with <= also at it', () => {
    const measured = {
      quantile: (quantile: number) => quantile * 1_000,
      ...{ max: 1_000, mean: 600, errors: 0.01, cost: 2 },
    };
    const verdicts = judge(
      ['p50<501ms', 'p50<500ms', 'p50<=500ms', 'errors<1%', 'cost<=2', 'max<2s'].map(thresholdOf),
      measured,
    );
    assert.deepEqual(
      verdicts.map(({ holds }) => holds),
      [true, false, true, false, true, true],
    );
  });

  it('is violated if nothing was measured', () => {
    const nothing = { quantile: () => undefined, max: undefined, mean: undefined, errors: undefined, cost: undefined };
    assert.deepEqual(judge([thresholdOf('p99<2s')], nothing), [{ text: 'p99<2s', value: undefined, holds: false }]);
  });
});
