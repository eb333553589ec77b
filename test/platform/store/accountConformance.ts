import assert from 'node:assert/strict';
import type { AccountRecord, ApiKeyRecord } from '../../../src/platform/domain/account.ts';
import type { Store } from '../../../src/platform/store/store.ts';

const now = Date.parse('2026-03-01T00:00:00Z');

/** Conformance tests of an account store. */
export function accountConformance(name: string, open: () => Store): void {
  describe(`Account store conformance: ${name}`, () => {
    let store: Store;

    beforeEach(() => {
      store = open();
    });

    afterEach(() => store.close());

    const account = (id: string): AccountRecord => ({ id, kind: 'user', name: `${id}, größe`, createdAt: now });
    const key = (id: string, accountId: string): ApiKeyRecord => ({
      ...{ id, accountId, name: 'key', salt: 's', digest: 'd', createdAt: now },
      ...{ permissions: ['invoke'], expiresAt: now + 1 },
    });

    it('lists accounts in order of creation, and ignores a second account with the same ID', () => {
      for (const id of ['b', 'a']) store.accounts.insert(account(id));
      store.accounts.insert({ ...account('a'), name: 'again' });
      assert.deepEqual(store.accounts.list(), [account('b'), account('a')]);
      assert.deepEqual(store.accounts.get('a'), account('a'));
      assert.equal(store.accounts.get('c'), undefined);
    });

    it('stores the members of teams', () => {
      for (const user of ['y', 'x', 'y']) store.accounts.insertMember('team', user);
      store.accounts.insertMember('other', 'z');
      assert.deepEqual(store.accounts.members('team'), ['y', 'x']);
      assert.ok(store.accounts.isMember('team', 'x'));
      assert.ok(!store.accounts.isMember('team', 'z'));
      store.accounts.deleteMember('team', 'x');
      assert.ok(!store.accounts.isMember('team', 'x'));
    });

    it('stores keys whole, lists them by account, and deletes them', () => {
      for (const [id, accountId] of Object.entries({ two: 'a', one: 'a', three: 'b' })) {
        store.accounts.insertApiKey(key(id, accountId));
      }
      assert.deepEqual(store.accounts.getApiKey('two'), key('two', 'a'));
      assert.deepEqual(
        store.accounts.apiKeys('a').map(({ id }) => id),
        ['two', 'one'],
      );
      assert.equal(store.accounts.apiKeys().length, 3);
      assert.ok(store.accounts.deleteApiKey('two'));
      assert.ok(!store.accounts.deleteApiKey('two'));
      assert.equal(store.accounts.getApiKey('two'), undefined);
    });
  });
}
