import assert from 'node:assert/strict';
import { dataSize } from '../../src/text/quantities.ts';

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
});
