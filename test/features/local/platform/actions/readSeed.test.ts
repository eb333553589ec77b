import assert from 'node:assert/strict';
import { InvalidSeedError, readSeed } from '../../../../../src/features/local/platform/actions/controlPlatform.ts';

describe('readSeed', () => {
  it('names a key that occurs twice in one object', () => {
    assert.throws(
      () => readSeed('templates: []\nendpoints: []\ntemplates: []\n'),
      (error) => error instanceof InvalidSeedError && error.message === 'the key “templates” occurs twice',
    );
  });
});
