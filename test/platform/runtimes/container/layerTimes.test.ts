import assert from 'node:assert/strict';
import { LayerTimes } from '../../../../src/platform/runtimes/container/pullProgress.ts';

/** A line at a time: its layer, its status, and the total of its progress. */
type Reported = readonly [at: number, id: string, status: string, total?: number];

/** Returns the layers of a report that ends at 100. */
function layersOf(...reported: readonly Reported[]) {
  const times = new LayerTimes();
  for (const [at, id, status, total] of reported)
    times.add({ id, status, progressDetail: total === undefined ? {} : { current: 1, total } }, at);
  return times.layers(100);
}

describe('LayerTimes', () => {
  it('measures download and extraction as Docker reports them', () => {
    assert.deepEqual(
      layersOf(
        [0, 'latest', 'Pulling from library/example'],
        [1, 'aa', 'Pulling fs layer'],
        [1, 'bb', 'Pulling fs layer'],
        [1, 'bb', 'Waiting'],
        [2, 'aa', 'Downloading', 50],
        [5, 'aa', 'Verifying Checksum'],
        [6, 'aa', 'Download complete'],
        [6, 'bb', 'Downloading', 70],
        [7, 'aa', 'Extracting', 50],
        [9, 'aa', 'Extracting', 50],
        [9, 'bb', 'Download complete'],
        [12, 'aa', 'Pull complete'],
        [13, 'bb', 'Extracting', 70],
        [20, 'bb', 'Pull complete'],
      ),
      [
        { id: 'aa', bytes: 50, from: 2, downloadedAt: 6, extractedFrom: 7, to: 12, isPresent: false },
        { id: 'bb', bytes: 70, from: 6, downloadedAt: 9, extractedFrom: 13, to: 20, isPresent: false },
      ],
    );
  });

  it('measures the downloads that Podman reports', () => {
    assert.deepEqual(
      layersOf(
        [1, 'aa', 'Pulling fs layer'],
        [2, 'aa', 'Downloading', 50],
        [6, 'aa', 'Download complete'],
        [7, 'bb', 'Already exists'],
      ),
      [
        { id: 'aa', bytes: 50, from: 2, downloadedAt: 6, to: 6, isPresent: false },
        { id: 'bb', from: 7, to: 7, isPresent: true },
      ],
    );
  });

  it('ends a layer with the pull if the engine does not report its end', () => {
    assert.deepEqual(layersOf([1, 'aa', 'Downloading', 50], [3, 'aa', 'Extracting', 50]), [
      { id: 'aa', bytes: 50, from: 1, downloadedAt: 3, extractedFrom: 3, to: 100, isPresent: false },
    ]);
  });

  it('keeps a bounded number of layers', () => {
    const many = Array.from({ length: 10_000 }, (_, index): Reported => [index, `layer${index}`, 'Pulling fs layer']);
    assert.equal(layersOf(...many).length, 200);
  });
});
