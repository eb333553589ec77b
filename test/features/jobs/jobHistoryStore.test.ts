import assert from 'node:assert/strict';
import { stateKey } from '../../../src/kit/keyedState.ts';
import { JobHistoryStore } from '../../../src/features/jobs/jobHistoryStore.ts';
import type { StoredJob } from '../../../src/features/jobs/model/storedJob.ts';
import { memento } from './memento.ts';

const job = (id: string, change: Partial<StoredJob> = {}): StoredJob => ({
  id,
  endpointId: 'e',
  endpointName: 'hello',
  submittedAt: 1,
  status: 'IN_QUEUE',
  ...change,
});

describe('Job history', () => {
  it('lists the newest job first and is persistent', async () => {
    const storage = memento();
    const store = new JobHistoryStore(storage);
    await store.put('local', job('1'));
    await store.put('local', job('2'));
    await store.put('local', job('1', { status: 'COMPLETED' }));
    const reopened = new JobHistoryStore(storage);
    assert.deepEqual(
      reopened.recent('local').map(({ id, status }) => [id, status]),
      [
        ['2', 'IN_QUEUE'],
        ['1', 'COMPLETED'],
      ],
    );
  });

  it('is separate for each connection', async () => {
    const store = new JobHistoryStore(memento());
    await store.put('local', job('1'));
    assert.deepEqual(store.recent('another'), []);
  });

  it('reports the connection whose jobs changed, after the change', async () => {
    const store = new JobHistoryStore(memento());
    const events: unknown[] = [];
    const subscription = store.onDidChange((id) => events.push([id, store.recent(id).map((one) => one.status)]));
    await store.put('a', job('1'));
    await store.put('a', job('1', { status: 'COMPLETED' }));
    subscription.dispose();
    await store.put('a', job('2'));
    assert.deepEqual(events, [
      ['a', ['IN_QUEUE']],
      ['a', ['COMPLETED']],
    ]);
  });

  it('keeps 200 jobs', async () => {
    const store = new JobHistoryStore(memento());
    for (let index = 0; index < 210; index++) await store.put('local', job(String(index)));
    assert.equal(store.recent('local').length, 200);
    assert.equal(store.recent('local')[0]?.id, '209');
  });

  it('is empty if the stored value is invalid', async () => {
    const storage = memento();
    await storage.update(stateKey('local', 'jobs.recent'), 'broken');
    const store = new JobHistoryStore(storage);
    assert.deepEqual(store.recent('local'), []);
    await store.put('local', job('1'));
    assert.equal(store.recent('local').length, 1);
  });
});
