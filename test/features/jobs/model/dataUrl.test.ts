import assert from 'node:assert/strict';
import { dataUrl, dataUrlLength, fitOf, mimeTypeOf } from '../../../../src/features/jobs/model/dataUrl.ts';

const MB = 1_048_576;

describe('A data URL', () => {
  it('has the MIME type of the file name', () => {
    const names = ['a.PNG', 'b.jpeg', 'c.svg', 'd.unknown', 'e', 'f.constructor', '.png'];
    assert.deepEqual(names.map(mimeTypeOf), [
      'image/png',
      'image/jpeg',
      'image/svg+xml',
      ...Array.from({ length: 4 }, () => 'application/octet-stream'),
    ]);
  });

  it('contains the bytes, and has a length that is known in advance', () => {
    for (const size of [0, 1, 2, 3, 4, 1000]) {
      const url = dataUrl('image/png', new Uint8Array(size).fill(200));
      assert.equal(url.length, dataUrlLength('image/png', size));
      assert.deepEqual(Buffer.from(url.split(',')[1] ?? '', 'base64'), Buffer.alloc(size, 200));
    }
  });

  it('names its size and the limit that applies to the request', () => {
    assert.deepEqual(fitOf(1.2 * MB, 100), { fits: true, label: 'Insert as Data URL (1.2 MB of 10 MB)' });
    assert.deepEqual(fitOf(6 * MB, 6 * MB), {
      fits: true,
      label: 'Insert as Data URL (6 MB of 20 MB, only for Run and Wait)',
    });
    assert.deepEqual(fitOf(15 * MB, 6 * MB), { fits: false, limit: 20 * MB });
  });
});
