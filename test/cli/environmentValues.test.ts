import assert from 'node:assert/strict';
import process from 'node:process';
import { EnvironmentValues } from '../../src/cli/mcp/environmentValues.ts';

describe('Values of environment variables for manifests', () => {
  it('exist only for variables that are set', () => {
    const values = new EnvironmentValues({ ...process.env, MODE: 'fast' });
    assert.equal(values.variable('MODE'), 'fast');
    for (const name of Object.getOwnPropertyNames(Object.prototype))
      assert.equal(values.variable(name), undefined, name);
    assert.deepEqual(values.used, ['fast']);
  });
});
