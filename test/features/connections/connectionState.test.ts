import assert from 'node:assert/strict';
import { accountOf } from '../../../src/features/connections/accountOf.ts';
import { LOCAL_ID } from '../../../src/features/connections/connectionDocument.ts';
import { keepStateOf, stateKey } from '../../../src/features/connections/connectionState.ts';
import {
  connectionWith,
  idsOf,
  onStoredConnections,
  type StoredConnections,
} from '../../../src/features/connections/storedConnections.ts';
import { Emitter } from '../../../src/vscode/emitter.ts';
import { memento } from '../jobs/memento.ts';

const baseUrl = 'https://api.example.com';

describe('what is stored for a connection', () => {
  it('has the id of the connection in its key', () => {
    assert.notEqual(stateKey('a', 'x'), stateKey('b', 'x'));
    assert.notEqual(stateKey('a/b', 'x'), stateKey('a', 'b/x'));
  });

  it('is deleted with its connection, and nothing else is', async () => {
    const storage = memento();
    for (const key of [stateKey('a', 'x'), stateKey('ab', 'x'), stateKey(LOCAL_ID, 'x'), 'cloudCompute.other'])
      await storage.update(key, 1);
    await keepStateOf(idsOf({ current: undefined, hosted: [{ id: 'ab', baseUrl }] }), storage);
    assert.deepEqual(storage.keys(), [stateKey('ab', 'x'), stateKey(LOCAL_ID, 'x'), 'cloudCompute.other']);
  });
});

describe('the stored connections', () => {
  function connections() {
    const changed = new Emitter<undefined>();
    const loading = Promise.withResolvers<void>();
    return {
      profile: undefined as { id: string } | undefined,
      hosted: [] as { id: string; baseUrl: string }[],
      problem: undefined as Error | undefined,
      load: () => loading.promise,
      onDidChange: changed.event,
      change: () => changed.fire(undefined),
      finishLoading: async () => {
        loading.resolve();
        await loading.promise;
      },
    };
  }

  it('are told when they have been read, and after each change', async () => {
    const store = connections();
    const told: StoredConnections[] = [];
    const following = onStoredConnections(store, (stored) => told.push(stored));
    store.change();
    assert.ok(told.length < 1, 'before they have been read, connections are missing');
    store.hosted = [{ id: 'a', baseUrl }];
    await store.finishLoading();
    store.profile = { id: 'a' };
    store.change();
    following.dispose();
    store.change();
    assert.deepEqual(
      told.map(({ current, hosted }) => [current, hosted.length]),
      [
        [undefined, 1],
        ['a', 1],
      ],
    );
  });

  it('are not told while the secret storage fails: a connection that is missing may still be stored', async () => {
    const store = connections();
    store.problem = new Error('no keyring');
    let told = 0;
    const following = onStoredConnections(store, () => told++);
    await store.finishLoading();
    assert.equal(told, 0);
    store.problem = undefined;
    store.change();
    assert.equal(told, 1);
    following.dispose();
  });

  it('with an address are the current one, else the first', () => {
    const hosted = [
      { id: 'a', baseUrl: 'https://other.example.com' },
      { id: 'b', baseUrl },
      { id: 'c', baseUrl },
    ];
    assert.equal(connectionWith(baseUrl, { current: 'c', hosted }), 'c');
    assert.equal(connectionWith(baseUrl, { current: 'a', hosted }), 'b');
    assert.equal(connectionWith('https://gone.example.com', { current: 'a', hosted }), undefined);
  });
});

describe('the account of a connection', () => {
  it('is another one for another connection and for another team, and for nothing else', () => {
    const account = accountOf({ id: 'a' });
    assert.notEqual(accountOf({ id: 'b' }), account);
    assert.notEqual(accountOf({ id: 'a', teamId: 'engines' }), account);
    const renamed = { id: 'a', name: 'renamed', apiKey: 'another', baseUrl };
    assert.equal(accountOf(renamed), account);
  });
});
