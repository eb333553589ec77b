import assert from 'node:assert/strict';
import {
  MAX_STORED_REQUESTS,
  RequestHistoryStore,
  type StoredRequest,
} from '../../../../src/features/requests/history/requestHistoryStore.ts';
import { memento } from '../../jobs/memento.ts';

const request = (id: string, changes: Partial<StoredRequest> = {}): StoredRequest => ({
  ...{ id, endpointId: 'e', endpointName: 'hello', endpointType: 'LOAD_BALANCER', method: 'GET', path: '/', sentAt: 1 },
  ...changes,
});

describe('The history of requests', () => {
  it('keeps the requests of each connection, newest first, over a restart', async () => {
    const storage = memento();
    const store = new RequestHistoryStore(storage);
    const changed: string[] = [];
    store.onDidChange((id) => changed.push(id));
    await store.put('a', request('1'));
    await store.put('a', request('2'));
    await store.put('a', request('1', { end: 'complete', status: 200 }));
    await store.put('b', request('3'));
    const later = new RequestHistoryStore(storage);
    assert.deepEqual(
      later.recent('a').map(({ id, status }) => `${id} ${status ?? ''}`),
      ['2 ', '1 200'],
    );
    assert.deepEqual([later.recent('b').length, later.recent('c'), changed], [1, [], ['a', 'a', 'a', 'b']]);
  });

  it('is bounded, and reports the requests that it drops', async () => {
    const store = new RequestHistoryStore(memento());
    for (let number = 0; number < MAX_STORED_REQUESTS; number++)
      assert.deepEqual(await store.put('a', request(String(number))), []);
    assert.deepEqual(await store.put('a', request('new')), ['0']);
    assert.equal(store.recent('a').length, MAX_STORED_REQUESTS);
  });

  it('removes requests, and ignores damaged state', async () => {
    const storage = memento();
    const store = new RequestHistoryStore(storage);
    await store.put('a', request('1'));
    await store.put('a', request('2'));
    await store.remove('a', ['2']);
    assert.deepEqual(
      store.recent('a').map(({ id }) => id),
      ['1'],
    );
    assert.deepEqual([store.find('a', '1')?.id, store.find('a', '2')], ['1', undefined]);
    for (const key of storage.keys()) await storage.update(key, [{ id: 1 }]);
    assert.deepEqual(new RequestHistoryStore(storage).recent('a'), []);
  });
});
