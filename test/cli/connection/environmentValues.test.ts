import assert from 'node:assert/strict';
import process from 'node:process';
import { EnvironmentValues } from '../../../src/cli/connection/environmentValues.ts';

describe('Values of environment variables for manifests', () => {
  it('exist only for variables that are set', () => {
    const values = new EnvironmentValues({ ...process.env, MODE: 'fast' });
    assert.equal(values.variable('MODE'), 'fast');
    for (const name of Object.getOwnPropertyNames(Object.prototype))
      assert.equal(values.variable(name), undefined, name);
    assert.deepEqual(values.used, ['fast']);
  });

  it('are never the API key, in any letter case, because Windows ignores it', async () => {
    const values = new EnvironmentValues({ CLOUD_COMPUTE_API_KEY: 'key', Cloud_Compute_API_Key: 'key' });
    for (const name of ['CLOUD_COMPUTE_API_KEY', 'Cloud_Compute_API_Key']) {
      assert.equal(values.variable(name), undefined);
      assert.equal(await values.secret(name), undefined);
    }
    assert.deepEqual(values.used, []);
  });
});
