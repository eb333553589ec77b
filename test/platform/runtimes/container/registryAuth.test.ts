import assert from 'node:assert/strict';
import { registryAuth } from '../../../../src/platform/runtimes/container/imagePulls.ts';

describe('registryAuth', () => {
  const reference = { registry: 'localhost:5000', repository: 'worker', tag: '1' };

  it('is base64url with padding, for passwords of any length', () => {
    for (const password of ['', 'a', 'aä', '???>>>', 'ÿÿÿ']) {
      const credentials = { username: 'user', password };
      const { 'X-Registry-Auth': text = '' } = registryAuth(reference, credentials);
      assert.match(text, /^[\w-]+={0,2}$/);
      assert.equal(text.length % 4, 0);
      const decoded = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
      assert.deepEqual(decoded, { ...credentials, serveraddress: 'localhost:5000' });
    }
  });

  it('is omitted without credentials', () => {
    assert.deepEqual(registryAuth(reference, undefined), {});
  });
});
