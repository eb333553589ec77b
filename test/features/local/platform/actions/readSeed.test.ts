import assert from 'node:assert/strict';
import { assertLinear } from '../../../../support/growth.ts';
import { InvalidSeedError, readSeed } from '../../../../../src/features/local/platform/actions/controlPlatform.ts';

describe('readSeed', () => {
  it('names a key that occurs twice in one object', () => {
    assert.throws(
      () => readSeed('templates: []\nendpoints: []\ntemplates: []\n'),
      (error) => error instanceof InvalidSeedError && error.message === 'the key “templates” occurs twice',
    );
  });

  it('names the place of the first error', () => {
    assert.throws(
      () => readSeed('templates: []\nendpoints: [\n'),
      (error) => error instanceof InvalidSeedError && /^line 3, column 1: Flow sequence .*/.test(error.message),
    );
  });

  it('takes linear time for a line of errors', () => {
    const read = (text: string) => assert.throws(() => readSeed(text), InvalidSeedError);
    assertLinear([32_768, 131_072, 524_288], (size) => '"'.repeat(size), read);
  });
});
