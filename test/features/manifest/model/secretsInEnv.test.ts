import assert from 'node:assert/strict';
import { resolveEnv } from '../../../../src/features/manifest/model/envReferences.ts';
import { withSecretReferences } from '../../../../src/features/manifest/model/secretsInEnv.ts';

const secrets = new Map([
  ['TOKEN', 'value-of-token'],
  ['LONGER', 'value-of-token-2'],
  ['PIN', '123'],
  ['EMPTY', ''],
]);

describe('the environment of a deployed endpoint', () => {
  it('shows references instead of the values of secrets', () => {
    const env = { A: 'value-of-token', B: 'Bearer value-of-token-2', C: '123', D: 'plain 1234', E: '' };
    assert.deepEqual(withSecretReferences(env, secrets), {
      A: '${secret:TOKEN}',
      B: 'Bearer ${secret:LONGER}',
      C: '${secret:PIN}',
      D: 'plain 1234',
      E: '',
    });
  });

  it('resolves to the same values', () => {
    const env = { A: 'value-of-token value-of-token-2 ${secret:PIN} $${', B: '${env:HOME}' };
    const written = withSecretReferences(env, secrets);
    assert.ok(!JSON.stringify(written).includes('value-of'));
    assert.deepEqual(resolveEnv(written, ({ name }) => secrets.get(name)).env, env);
  });

  it('cannot read a secret with text of the platform', () => {
    const written = withSecretReferences({ STOLEN: '${secret:TOKEN}' }, new Map());
    assert.deepEqual(resolveEnv(written, () => 'value-of-token').env, { STOLEN: '${secret:TOKEN}' });
  });
});
