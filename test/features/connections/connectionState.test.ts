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

describe('the stored state of a connection', () => {
  it('has a key that contains the id of the connection', () => {
    assert.notEqual(stateKey('a', 'x'), stateKey('b', 'x'));
    assert.notEqual(stateKey('a/b', 'x'), stateKey('a', 'b/x'));
  });

  it('is deleted with its connection, and all other state is kept', async () => {
    const storage = memento();
    for (const key of [stateKey('a', 'x'), stateKey('ab', 'x'), stateKey(LOCAL_ID, 'x'), 'cloudCompute.other'])
      await storage.update(key, 1);
    await keepStateOf(idsOf({ current: undefined, hosted: [{ id: 'ab', baseUrl }] }), storage);
    assert.deepEqual(storage.keys(), [stateKey('ab', 'x'), stateKey(LOCAL_ID, 'x'), 'cloudCompute.other']);
  });
});

describe('onStoredConnections and connectionWith', () => {
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

  it('calls the listener after the first read and after each change', async () => {
    const store = connections();
    const received: StoredConnections[] = [];
    const subscription = onStoredConnections(store, (stored) => received.push(stored));
    store.change();
    assert.ok(received.length < 1, 'the listener is not called before the connections have been read');
    store.hosted = [{ id: 'a', baseUrl }];
    await store.finishLoading();
    store.profile = { id: 'a' };
    store.change();
    subscription.dispose();
    store.change();
    assert.deepEqual(
      received.map(({ current, hosted }) => [current, hosted.length]),
      [
        [undefined, 1],
        ['a', 1],
      ],
    );
  });

  it('does not call the listener while the secret storage fails', async () => {
    const store = connections();
    store.problem = new Error('no keyring');
    let calls = 0;
    const subscription = onStoredConnections(store, () => calls++);
    await store.finishLoading();
    assert.equal(calls, 0);
    store.problem = undefined;
    store.change();
    assert.equal(calls, 1);
    subscription.dispose();
  });

  it('prefers the current connection with an address over the first one', () => {
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

describe('accountOf', () => {
  it('changes only with the connection and the team', () => {
    const account = accountOf({ id: 'a' });
    assert.notEqual(accountOf({ id: 'b' }), account);
    assert.notEqual(accountOf({ id: 'a', teamId: 'engines' }), account);
    const renamed = { id: 'a', name: 'renamed', apiKey: 'another', baseUrl };
    assert.equal(accountOf(renamed), account);
  });
});
