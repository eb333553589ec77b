import assert from 'node:assert/strict';
import { JobHistoryStore, type StoredJob } from '../../../src/features/jobs/jobHistoryStore.ts';
import { LastInputStore } from '../../../src/features/jobs/lastInputStore.ts';
import { migrateHistory, migrateInputs } from '../../../src/features/jobs/migrateJobs.ts';
import { memento } from './memento.ts';

const job = (id: string, endpointId = 'e'): StoredJob => ({
  id,
  endpointId,
  endpointName: 'hello',
  submittedAt: 1,
  status: 'COMPLETED',
});

const [one, two, gone] = ['https://one.example.com', 'https://two.example.com', 'https://gone.example.com'];
const connections = {
  current: 'b2',
  hosted: [
    { id: 'a', baseUrl: one },
    { id: 'b1', baseUrl: two },
    { id: 'b2', baseUrl: two },
  ],
};
const OLD_HISTORY = 'cloudCompute.jobs.recent';
const OLD_INPUTS = 'cloudCompute.jobs.lastInput';

describe('Jobs of earlier releases', () => {
  const ids = (history: JobHistoryStore, connection: string) => history.recent(connection).map(({ id }) => id);

  it('are moved to the current connection with their address, else to the first one', async () => {
    const storage = memento();
    await storage.update(OLD_HISTORY, { local: [job('l')], [one]: [job('o2'), job('o1')], [two]: [job('t')] });
    const history = new JobHistoryStore(storage);
    await migrateHistory(storage, history, connections);
    assert.deepEqual(
      ['local', 'a', 'b1', 'b2'].map((id) => ids(history, id)),
      [['l'], ['o2', 'o1'], [], ['t']],
    );
  });

  it('are dropped if no connection has their address or if they are invalid', async () => {
    const storage = memento();
    await storage.update(OLD_HISTORY, { [gone]: [job('g')], [one]: 'broken', local: [job('l')] });
    const history = new JobHistoryStore(storage);
    await migrateHistory(storage, history, connections);
    assert.deepEqual([ids(history, 'local'), ids(history, 'a')], [['l'], []]);
    assert.deepEqual(storage.keys().length, 2);
    assert.doesNotMatch(JSON.stringify(storage.keys().map((key) => storage.get(key))), /"g"/);
  });

  it('are added after newer ones, and move only once', async () => {
    const storage = memento();
    await storage.update(OLD_HISTORY, { local: [job('2'), job('1')] });
    const history = new JobHistoryStore(storage);
    await history.put('local', job('3'));
    await history.put('local', { ...job('2'), status: 'FAILED' });
    await migrateHistory(storage, history, connections);
    assert.deepEqual(ids(history, 'local'), ['2', '3', '1']);
    assert.equal(history.recent('local')[0]?.status, 'FAILED');
    assert.equal(storage.get(OLD_HISTORY), undefined);
    await history.put('local', job('4'));
    await migrateHistory(storage, history, connections);
    assert.deepEqual(ids(history, 'local'), ['4', '2', '3', '1']);
  });

  it('do not change a storage without any', async () => {
    const storage = memento();
    await migrateHistory(storage, new JobHistoryStore(storage), connections);
    assert.deepEqual(storage.keys(), []);
  });
});

describe('Last inputs of earlier releases', () => {
  it('are moved to the connection that has run a job of their endpoint, else to the current one', async () => {
    const [everywhere, here] = [memento(), memento()];
    const history = new JobHistoryStore(everywhere);
    await history.put('a', job('1', 'known'));
    await here.update(OLD_INPUTS, { known: { input: { n: 1 } }, unknown: { input: { n: 2 } }, broken: 1 });
    const inputs = new LastInputStore(here);
    await migrateInputs(here, inputs, history, connections);
    assert.deepEqual(inputs.get('a', 'known'), { input: { n: 1 } });
    assert.deepEqual(inputs.get('b2', 'unknown'), { input: { n: 2 } });
    assert.deepEqual([inputs.get('b2', 'known'), inputs.get('a', 'unknown')], [undefined, undefined]);
    assert.equal(here.get(OLD_INPUTS), undefined);
  });

  it('do not replace newer ones', async () => {
    const storage = memento();
    const inputs = new LastInputStore(storage);
    await inputs.put('b2', 'e', { input: { n: 'new' } });
    await storage.update(OLD_INPUTS, { e: { input: { n: 'old' } } });
    await migrateInputs(storage, inputs, new JobHistoryStore(storage), connections);
    assert.deepEqual(inputs.get('b2', 'e'), { input: { n: 'new' } });
  });
});
