import assert from 'node:assert/strict';
import { hiddenValues, rememberSent } from '../../../src/account/secrets/hiddenValues.ts';

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
