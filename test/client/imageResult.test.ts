import assert from 'node:assert/strict';
import { imageResultOf } from '../../src/client/imageResult.ts';

describe('the image of a job', () => {
  const url = 'https://images.example.com/1.png';

  it('has a URL that expires after seven days', () => {
    const seenAt = Date.UTC(2026, 0, 1);
    const result = imageResultOf({ status: 'COMPLETED', output: { image_url: url, cost: 0.02 } }, seenAt);
    assert.deepEqual(result, { url, cost: 0.02, expiresAt: Date.UTC(2026, 0, 8) });
  });

  it('is undefined for any other output', () => {
    for (const output of [undefined, null, 'text', {}, { image_url: 7 }, { image_url: 'no address' }])
      assert.equal(imageResultOf({ status: 'COMPLETED', output }, 0), undefined);
    assert.equal(imageResultOf({ status: 'FAILED', output: { image_url: url } }, 0), undefined);
  });
});
