import assert from 'node:assert/strict';
import { resolveEnv } from '../../../src/account/secrets/envReferences.ts';
import { withReferences, hiddenValues, rememberSent } from '../../../src/account/secrets/hiddenValues.ts';

const values: Readonly<Record<string, string>> = {
  TOKEN: 'value-of-token',
  LONGER: 'value-of-token-2',
  PIN: '123',
  EMPTY: '',
};
const secrets = Object.entries(values).map(([name, value]) => ({
  reference: { kind: 'secret', name } as const,
  value,
}));

describe('the environment of a deployed endpoint', () => {
  it('shows references instead of the values of secrets', () => {
    const env = { A: 'value-of-token', B: 'Bearer value-of-token-2', C: '123', D: 'plain 1234', E: '' };
    assert.deepEqual(withReferences(env, secrets), {
      A: '${secret:TOKEN}',
      B: 'Bearer ${secret:LONGER}',
      C: '${secret:PIN}',
      D: 'plain 1234',
      E: '',
    });
  });

  it('shows the reference of a variable', () => {
    const hidden = [{ reference: { kind: 'env', name: 'REGION' } as const, value: 'eu-west' }];
    assert.deepEqual(withReferences({ A: 'eu-west', B: 'eu-west-2' }, hidden), { A: '${env:REGION}', B: 'eu-west-2' });
  });

  it('resolves to the same values', () => {
    const env = { A: 'value-of-token value-of-token-2 ${secret:PIN} $${', B: '${env:HOME}' };
    const written = withReferences(env, secrets);
    assert.ok(!JSON.stringify(written).includes('value-of'));
    assert.deepEqual(resolveEnv(written, ({ name }) => values[name]).env, env);
  });

  it('cannot read a secret with text of the platform', () => {
    const written = withReferences({ STOLEN: '${secret:TOKEN}' }, []);
    assert.deepEqual(resolveEnv(written, () => 'value-of-token').env, { STOLEN: '${secret:TOKEN}' });
  });
});

describe('hiddenValues', () => {
  const VARIABLE = 'CLOUD_COMPUTE_TEST_SENT';

  afterEach(() => void Reflect.deleteProperty(process.env, VARIABLE));

  it('are those of secrets and of variables that were sent', async () => {
    const stored = new Map<string, unknown>();
    const globalState = {
      get: (key: string) => stored.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, value)),
    };
    const sources = { globalState, secrets: { values: () => Promise.resolve(new Map([['S', 'one']])) } };
    const secret = { reference: { kind: 'secret', name: 'S' }, value: 'one' };
    process.env[VARIABLE] = 'two';
    assert.deepEqual(await hiddenValues(sources), [secret]);
    for (const name of [VARIABLE, VARIABLE, 'CLOUD_COMPUTE_TEST_ABSENT']) await rememberSent(globalState, name);
    assert.deepEqual(await hiddenValues(sources), [
      secret,
      { reference: { kind: 'env', name: VARIABLE }, value: 'two' },
    ]);
    assert.ok(!JSON.stringify([...stored]).includes('two'));
  });
});
