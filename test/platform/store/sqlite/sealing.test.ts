import assert from 'node:assert/strict';
import { sealing } from '../../../../src/platform/store/sqlite/sealing.ts';
import { secretBox } from '../../../../src/platform/secrets/secretBox.ts';

describe('Stored records', () => {
  const seals = sealing(secretBox());

  for (const [kind, member] of [
    ['endpoints', 'env'],
    ['templates', 'env'],
    ['requests', 's3Config'],
    ['requests', 'webhook'],
    ['claims', 'token'],
  ] as const)
    it(`of the kind ${kind} contain ${member} only encrypted, for their own row`, () => {
      const record = { first: 1, [member]: { name: 'hidden' }, last: 2 };
      const json = seals.stringify(kind, 'a', record);
      assert.doesNotMatch(json, /hidden/);
      assert.deepEqual(Object.entries(seals.parse(kind, 'a', json) as object), Object.entries(record));
      assert.throws(() => seals.parse(kind, 'b', json));
    });

  it('are not encrypted without secret members', () => {
    for (const env of [undefined, null, {}]) {
      const record = { id: 'a', env };
      assert.equal(seals.stringify('endpoints', 'a', record), JSON.stringify(record));
    }
  });

  it('keep a member of a caller that has the name of the encrypted members', () => {
    for (const record of [{ $sealed: 'x' }, { $sealed: 'x', env: { A: '1' } }])
      assert.deepEqual(seals.parse('endpoints', 'a', seals.stringify('endpoints', 'a', record)), record);
  });

  it('have texts that are encrypted for their own row', () => {
    const sealed = seals.seal('deliveryUrl', 'a', 'hidden');
    assert.doesNotMatch(sealed, /hidden/);
    assert.equal(seals.open('deliveryUrl', 'a', sealed), 'hidden');
    assert.throws(() => seals.open('deliveryUrl', 'b', sealed));
    assert.throws(() => seals.open('deliveryBody', 'a', sealed));
  });
});
