import assert from 'node:assert/strict';
import { fileSize } from '../../src/vscode/text/fileSize.ts';

describe('A number of bytes', () => {
  it('is shown in the unit that fits', () => {
    assert.deepEqual([0, 1023, 1024, 1229, 10_240, 30 * 1_048_576, 1_048_575, 5 * 2 ** 40].map(fileSize), [
      '0 B',
      '1023 B',
      '1 KB',
      '1.2 KB',
      '10 KB',
      '30 MB',
      '1 MB',
      '5120 GB',
    ]);
  });
});
