import assert from 'node:assert/strict';
import { LOCAL_ID } from '../../../src/account/connections/connectionDocument.ts';
import { keepStateOf, stateKey } from '../../../src/kit/keyedState.ts';
import { accountOf, onStoredConnections } from '../../../src/account/connections/storedConnections.ts';
import { Emitter } from '../../../src/kit/emitter.ts';
import { memento } from '../../features/jobs/memento.ts';

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
    await keepStateOf(['ab', LOCAL_ID], storage);
    assert.deepEqual(storage.keys(), [stateKey('ab', 'x'), stateKey(LOCAL_ID, 'x'), 'cloudCompute.other']);
  });
});

describe('onStoredConnections', () => {
  function connections() {
    const changed = new Emitter<undefined>();
    const loading = Promise.withResolvers<void>();
    return {
      hosted: [] as { id: string }[],
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
    const received: (readonly string[])[] = [];
    const subscription = onStoredConnections(store, (ids) => received.push(ids));
    store.change();
    assert.ok(received.length < 1, 'the listener is not called before the connections have been read');
    store.hosted = [{ id: 'a' }];
    await store.finishLoading();
    store.hosted = [];
    store.change();
    subscription.dispose();
    store.change();
    assert.deepEqual(received, [[LOCAL_ID, 'a'], [LOCAL_ID]]);
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
