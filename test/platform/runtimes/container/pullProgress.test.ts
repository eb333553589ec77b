import assert from 'node:assert/strict';
import { PullProgress, type PullLine } from '../../../../src/platform/runtimes/container/pullProgress.ts';

const line = (id: string, status: string, current?: number, total?: number): PullLine => ({
  ...{ id, status },
  progressDetail: { ...(current !== undefined && { current }), ...(total !== undefined && { total }) },
});

describe('PullProgress', () => {
  /** Returns the progress after each line. */
  const percents = (...lines: PullLine[]): (number | undefined)[] => {
    const progress = new PullProgress();
    return lines.map((one) => {
      progress.add(one);
      return progress.percent();
    });
  };

  it('counts downloading and extracting a layer for one half each', () => {
    assert.deepEqual(
      percents(
        line('a', 'Pulling fs layer'),
        line('a', 'Downloading', 50, 100),
        line('a', 'Download complete'),
        line('a', 'Extracting', 50, 100),
        line('a', 'Pull complete'),
      ),
      [undefined, 25, 50, 75, 100],
    );
  });

  it('weights layers by their sizes', () => {
    assert.deepEqual(
      percents(line('a', 'Downloading', 300, 300), line('b', 'Downloading', 0, 100), line('a', 'Pull complete')),
      [50, 50, 75],
    );
  });

  it('counts waiting layers with the mean size of the others', () => {
    assert.deepEqual(
      percents(line('a', 'Pulling fs layer'), line('b', 'Pulling fs layer'), line('a', 'Downloading', 100, 100)).at(-1),
      25,
    );
  });

  it('ignores layers that the engine has', () => {
    assert.deepEqual(percents(line('a', 'Already exists'), line('b', 'Downloading', 10, 100)), [undefined, 5]);
  });

  it('is unknown without sizes', () => {
    assert.deepEqual(
      percents(line('a', 'Pulling fs layer'), line('a', 'Downloading', 5), line('a', 'Download complete'), {
        status: 'Digest: sha256:1',
      }),
      [undefined, undefined, undefined, undefined],
    );
  });

  it('never decreases or exceeds 100', () => {
    assert.deepEqual(
      percents(line('a', 'Downloading', 90, 100), line('b', 'Downloading', 0, 900), line('b', 'Downloading', 950, 900)),
      [45, 45, 49],
    );
  });
});
