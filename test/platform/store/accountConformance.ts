import assert from 'node:assert/strict';
import type { AccountRecord, ApiKeyRecord } from '../../../src/platform/domain/account.ts';
import type { Store } from '../../../src/platform/store/store.ts';

const now = Date.parse('2026-03-01T00:00:00Z');

/** What every store must do with accounts. */
export function accountConformance(name: string, open: () => Store): void {
  describe(`Store conformance of accounts: ${name}`, () => {
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

    it('keeps accounts in the order they were created, and the first of an id', () => {
      for (const id of ['b', 'a']) store.accounts.insert(account(id));
      store.accounts.insert({ ...account('a'), name: 'again' });
      assert.deepEqual(store.accounts.list(), [account('b'), account('a')]);
      assert.deepEqual(store.accounts.get('a'), account('a'));
      assert.equal(store.accounts.get('c'), undefined);
    });

    it('knows who belongs to which team', () => {
      for (const user of ['y', 'x', 'y']) store.accounts.insertMember('team', user);
      store.accounts.insertMember('other', 'z');
      assert.deepEqual(store.accounts.members('team'), ['y', 'x']);
      assert.ok(store.accounts.isMember('team', 'x'));
      assert.ok(!store.accounts.isMember('team', 'z'));
      store.accounts.deleteMember('team', 'x');
      assert.ok(!store.accounts.isMember('team', 'x'));
    });

    it('keeps keys whole, lists them by account, and forgets them', () => {
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
