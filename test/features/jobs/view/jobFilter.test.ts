import assert from 'node:assert/strict';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import {
  EVERY_JOB,
  filterWords,
  isFiltering,
  listed,
  JobFilterStore,
} from '../../../../src/features/jobs/view/jobFilter.ts';
import { memento } from '../memento.ts';

const job = (id: string, endpointId: string, status: string, submittedAt = 1): StoredJob => ({
  id,
  endpointId,
  endpointName: `name of ${endpointId}`,
  submittedAt,
  status,
});

const jobs = [
  job('1', 'a', 'COMPLETED'),
  job('2', 'a', 'FAILED'),
  job('3', 'b', 'TIMED_OUT'),
  job('4', 'b', 'IN_QUEUE'),
];
const ids = (...of: Parameters<typeof listed>) => listed(...of).map(({ id }) => id);

describe('List of jobs', () => {
  it('contains all jobs without a filter, the newest first', () => {
    assert.deepEqual(ids(jobs, EVERY_JOB), ['1', '2', '3', '4']);
    assert.deepEqual(ids([...jobs, job('retried', 'a', 'IN_QUEUE', 2)], EVERY_JOB)[0], 'retried');
  });

  it('contains the jobs with one of the states and one of the endpoints', () => {
    assert.deepEqual(ids(jobs, { states: ['failed'], endpointIds: [] }), ['2', '3']);
    assert.deepEqual(ids(jobs, { states: [], endpointIds: ['b'] }), ['3', '4']);
    assert.deepEqual(ids(jobs, { states: ['failed', 'active'], endpointIds: ['b'] }), ['3', '4']);
    assert.deepEqual(ids(jobs, { states: ['completed'], endpointIds: ['b'] }), []);
  });
});

describe('Filter of jobs', () => {
  it('is described with the names of its endpoints', () => {
    assert.equal(filterWords(EVERY_JOB, jobs), '');
    assert.equal(filterWords({ states: ['failed', 'active'], endpointIds: [] }, jobs), 'failed or unfinished');
    assert.equal(
      filterWords({ states: ['failed'], endpointIds: ['a', 'deleted'] }, jobs),
      'failed · name of a or deleted',
    );
  });

  it('is active if it names a state or an endpoint', () => {
    assert.equal(isFiltering(EVERY_JOB), false);
    assert.equal(isFiltering({ states: [], endpointIds: ['a'] }), true);
  });

  it('is stored for each connection, and ignores a stored value that is invalid', async () => {
    const storage = memento();
    const store = new JobFilterStore(storage);
    const events: string[] = [];
    store.onDidChange((connectionId) => events.push(connectionId));
    await store.set('local', { states: ['failed'], endpointIds: ['a'] });
    const reopened = new JobFilterStore(storage);
    assert.deepEqual(reopened.get('local'), { states: ['failed'], endpointIds: ['a'] });
    assert.deepEqual(reopened.get('other'), EVERY_JOB);
    assert.deepEqual(events, ['local']);
    await store.set('local', EVERY_JOB);
    assert.deepEqual(storage.keys(), []);
    await storage.update('cloudCompute.connection/local/jobs.filter', { states: ['unknown'] });
    assert.deepEqual(reopened.get('local'), EVERY_JOB);
  });
});
