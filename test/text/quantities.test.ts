import assert from 'node:assert/strict';
import { duration, dataSize, volumeDataSize } from '../../src/text/quantities.ts';

describe('Duration', () => {
  for (const [seconds, text] of [
    [0, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3_900, '1 h 5 min'],
    [187_200, '2 d 4 h'],
  ] as const) {
    it(`of ${seconds} seconds reads ${text}`, () => assert.equal(duration(seconds), text));
  }
});

describe('A number of bytes', () => {
  it('is shown in the unit that fits', () => {
    assert.deepEqual([0, 1023, 1024, 1229, 10_240, 30 * 1_048_576, 1_048_575, 5 * 2 ** 40].map(dataSize), [
      '0 B',
      '1023 B',
      '1 KB',
      '1.3 KB',
      '10 KB',
      '30 MB',
      '1 MB',
      '5120 GB',
    ]);
  });

  it('is rounded up, so that a size over a limit never reads as the limit', () => {
    assert.deepEqual([10 * 1_048_576, 10 * 1_048_576 + 1].map(dataSize), ['10 MB', '10.1 MB']);
  });

  it('in a volume has the units of the size of the volume', () => {
    assert.deepEqual([999, 1_000, 1_048_576, 20e9, 20e9 + 1].map(volumeDataSize), [
      '999 B',
      '1 KB',
      '1.1 MB',
      '20 GB',
      '20.1 GB',
    ]);
  });
});
