import assert from 'node:assert/strict';
import { jobPath, parseJobPath } from '../../../src/features/jobs/jobAddress.ts';
import { historyKey, JobHistoryStore, type StoredJob } from '../../../src/features/jobs/jobHistoryStore.ts';
import { memento } from './memento.ts';

const job = (id: string, change: Partial<StoredJob> = {}): StoredJob => ({
  id,
  endpointId: 'e',
  endpointName: 'hello',
  submittedAt: 1,
  status: 'IN_QUEUE',
  ...change,
});

describe('the history of jobs', () => {
  it('has the newest first, and outlives its store', async () => {
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
    assert.equal(reopened.find('local', '1')?.status, 'COMPLETED');
  });

  it('keeps the connections apart', async () => {
    const store = new JobHistoryStore(memento());
    await store.put('local', job('1'));
    assert.deepEqual(store.recent('https://api.example.com'), []);
    assert.equal(historyKey({ kind: 'local', baseUrl: 'http://127.0.0.1:5000' }), 'local');
    assert.equal(historyKey({ kind: 'hosted', baseUrl: 'https://api.example.com' }), 'https://api.example.com');
  });

  it('keeps fifty', async () => {
    const store = new JobHistoryStore(memento());
    for (let index = 0; index < 60; index++) await store.put('local', job(String(index)));
    assert.equal(store.recent('local').length, 50);
    assert.equal(store.recent('local')[0]?.id, '59');
  });

  it('starts anew from what it cannot read', async () => {
    const storage = memento();
    await storage.update('cloudCompute.jobs.recent', { local: 'broken' });
    const store = new JobHistoryStore(storage);
    assert.deepEqual(store.recent('local'), []);
    await store.put('local', job('1'));
    assert.equal(store.recent('local').length, 1);
  });
});

describe('the address of a job document', () => {
  it('has two segments without hidden characters for any ids', () => {
    const address = { endpointId: 'a/../b', jobId: 'gpj\u202e[x](command:y)\n' };
    const path = jobPath(address);
    assert.match(path, /^\/[\w%.-]+\/[\w%().-]+\.json$/);
    assert.deepEqual(parseJobPath(path), address);
  });

  it('is read back from its path', () => {
    const address = { endpointId: 'e1', jobId: 'j-1-u1' };
    assert.equal(jobPath(address), '/e1/j-1-u1.json');
    assert.deepEqual(parseJobPath(jobPath(address)), address);
    for (const path of ['/e%.json', '/e/%.json', '/e1.json', '/e1/j', '/a/b/c.json', ''])
      assert.equal(parseJobPath(path), undefined, path);
  });
});
