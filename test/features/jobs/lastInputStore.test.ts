import assert from 'node:assert/strict';
import { stateKey } from '../../../src/kit/keyedState.ts';
import { LastInputStore } from '../../../src/features/jobs/lastInputStore.ts';
import { memento } from './memento.ts';

describe('Last input', () => {
  it('is stored for each endpoint', async () => {
    const storage = memento();
    await new LastInputStore(storage).put('c', 'a', { input: { n: 1 } });
    await new LastInputStore(storage).put('c', 'b', { input: { n: 2 }, policy: { ttl: 10_000 } });
    await new LastInputStore(storage).put('c', 'a', { input: { n: 3 } });
    assert.deepEqual(new LastInputStore(storage).get('c', 'a'), { input: { n: 3 } });
    assert.deepEqual(new LastInputStore(storage).get('c', 'b'), { input: { n: 2 }, policy: { ttl: 10_000 } });
    assert.equal(new LastInputStore(storage).get('c', 'c'), undefined);
  });

  it('is stored for each connection', async () => {
    const store = new LastInputStore(memento());
    await store.put('c', 'a', { input: { n: 1 } });
    assert.equal(store.get('other', 'a'), undefined);
  });

  it('is stored for 20 endpoints', async () => {
    const store = new LastInputStore(memento());
    for (let index = 0; index < 25; index++) await store.put('c', `e${index}`, { input: { n: index } });
    assert.equal(store.get('c', 'e4'), undefined);
    assert.deepEqual(store.get('c', 'e5'), { input: { n: 5 } });
  });

  it('is undefined, not an older input, if the last one was too large', async () => {
    const store = new LastInputStore(memento());
    await store.put('c', 'a', { input: { n: 1 } });
    await store.put('c', 'a', { input: { x: 'x'.repeat(70_000) } });
    assert.equal(store.get('c', 'a'), undefined);
  });

  it('is ignored if its stored value is not an object', () => {
    const storage = memento();
    void storage.update(stateKey('c', 'jobs.lastInputs'), [
      { key: 'a', time: 1, value: { input: [1] } },
      { key: 'b', time: 1, value: { input: { n: 1 } } },
    ]);
    assert.equal(new LastInputStore(storage).get('c', 'a'), undefined);
    assert.deepEqual(new LastInputStore(storage).get('c', 'b'), { input: { n: 1 } });
  });
});
