import assert from 'node:assert/strict';
import { ChatModelStore, type ChatModel } from '../../../src/account/endpoints/chatModelStore.ts';
import { Emitter } from '../../../src/kit/emitter.ts';

const model = (endpointId: string, modelId: string): ChatModel => ({
  endpointId,
  endpointName: endpointId,
  endpointType: 'QUEUE',
  modelId,
  toolCalling: true,
  imageInput: false,
});

function world(stored: Record<string, unknown> = {}) {
  const values = new Map(Object.entries(stored));
  const changed = new Emitter<void>();
  const connections = { profile: { id: 'one' }, onDidChange: changed.event };
  const storage = {
    keys: () => [...values.keys()],
    get: (key: string) => values.get(key),
    update: (key: string, value: unknown) => {
      if (value === undefined) values.delete(key);
      else values.set(key, value);
      return Promise.resolve();
    },
  };
  const store = new ChatModelStore(storage, connections);
  const select = (id: string) => {
    connections.profile = { id };
    changed.fire();
  };
  let changes = 0;
  store.onDidChange(() => changes++);
  return { store, select, values, changes: () => changes };
}

describe('The chat models of a connection', () => {
  it('are replaced for each endpoint', async () => {
    const { store } = world();
    await store.replace('one', 'a', [model('a', 'x'), model('a', 'y')]);
    await store.replace('one', 'b', [model('b', 'x')]);
    await store.replace('one', 'a', [model('a', 'z')]);
    assert.deepEqual(
      store.models.map(({ endpointId, modelId }) => `${endpointId}/${modelId}`),
      ['b/x', 'a/z'],
    );
    assert.deepEqual(store.ofEndpoint('b'), [model('b', 'x')]);
  });

  it('are those of the current connection', async () => {
    const { store, select, changes } = world();
    await store.replace('two', 'a', [model('a', 'x')]);
    assert.deepEqual(store.models, []);
    select('two');
    assert.deepEqual(store.models, [model('a', 'x')]);
    assert.equal(changes(), 2);
  });

  it('are removed, and leave no model in the storage', async () => {
    const { store, values } = world();
    await store.replace('one', 'a', [model('a', 'x'), model('a', 'y')]);
    await store.remove('one', [model('a', 'x')]);
    assert.deepEqual(store.models, [model('a', 'y')]);
    await store.remove('one', [model('a', 'y')]);
    assert.deepEqual([store.models, JSON.stringify([...values]).includes('toolCalling')], [[], false]);
  });

  it('are limited in number, and none if the stored value has another form', async () => {
    const { store } = world();
    for (let index = 0; index < 101; index++) await store.replace('one', `e${index}`, [model(`e${index}`, 'x')]);
    assert.deepEqual([store.models.length, store.models[0]?.endpointId], [100, 'e1']);
    const key = 'cloudCompute.connection/one/chatModels';
    for (const wrong of ['text', [{ endpointId: 1 }], { a: 1 }])
      assert.deepEqual(world({ [key]: wrong }).store.models, []);
  });
});
