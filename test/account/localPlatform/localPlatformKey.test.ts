import assert from 'node:assert/strict';
import { localPlatformKey } from '../../../src/account/localPlatform/platformProcess.ts';
import { SharedSecrets } from '../connections/support.ts';

describe('the key of the local platform', () => {
  it('is created once and shared by all windows', async () => {
    const secrets = new SharedSecrets();
    const key = await localPlatformKey(secrets.window());
    assert.match(key ?? '', /^[\w-]{32}$/);
    assert.equal(await localPlatformKey(secrets.window()), key);
  });

  it('is undefined when secret storage fails, so that the platform creates one', async () => {
    const broken = () => Promise.reject(new Error('the keyring is locked'));
    assert.equal(await localPlatformKey({ get: broken, store: broken }), undefined);
  });
});
