import assert from 'node:assert/strict';
import { ChatModelStore } from '../../src/account/endpoints/chatModelStore.ts';
import { Emitter } from '../../src/kit/emitter.ts';
import { stateKey } from '../../src/account/connections/connectionState.ts';
import { CompletedSteps } from '../../src/account/completedSteps.ts';
import { JobHistoryStore } from '../../src/features/jobs/actions/jobHistoryStore.ts';
import { RequestHistoryStore } from '../../src/features/requests/history/requestHistoryStore.ts';
import { memento } from '../features/jobs/memento.ts';

const job = { id: 'j', endpointId: 'e', endpointName: 'hello', submittedAt: 1, status: 'IN_QUEUE' };
const endpoint = { endpointId: 'e', endpointName: 'hello', endpointType: 'QUEUE' } as const;
const request = { id: 'r', ...endpoint, method: 'GET', path: '/', sentAt: 1 } as const;
const model = { ...endpoint, modelId: 'm', toolCalling: true, imageInput: false };

describe('stored lists with entries that this version cannot read', () => {
  it('show the other entries, and keep all of them when they change', async () => {
    const storage = memento();
    const lists = [
      { name: 'jobs.recent', known: job, unknown: { ...job, id: 'later', submittedAt: 'yesterday' } },
      { name: 'routes.recent', known: request, unknown: { ...request, id: 'later', method: 'QUERY' } },
      { name: 'chatModels', known: model, unknown: { ...model, modelId: 'later', toolCalling: 'often' } },
    ];
    for (const { name, known, unknown } of lists) await storage.update(stateKey('c', name), [known, unknown]);
    const jobs = new JobHistoryStore(storage);
    const requests = new RequestHistoryStore(storage);
    const connections = { profile: { id: 'c' }, onDidChange: new Emitter<void>().event };
    const models = new ChatModelStore(storage, connections);
    assert.deepEqual([jobs.recent('c').length, requests.recent('c').length, models.models.length], [1, 1, 1]);
    await jobs.put('c', { ...job, id: 'new' });
    await requests.put('c', { ...request, id: 'new' });
    await models.replace('c', 'other', [{ ...model, endpointId: 'other' }]);
    for (const { name, known, unknown } of lists) {
      const stored = storage.get(stateKey('c', name)) as readonly unknown[];
      assert.equal(stored.length, 3, name);
      for (const one of [known, unknown])
        assert.ok(
          stored.some((entry) => JSON.stringify(entry) === JSON.stringify(one)),
          `${name}: ${JSON.stringify(one)}`,
        );
    }
  });

  it('keep the steps of the walkthrough that another version has', async () => {
    const storage = memento();
    const key = 'cloudCompute.firstSteps.completed';
    await storage.update(key, ['logs', 'later', 7]);
    new CompletedSteps(storage, (error) => assert.fail(String(error))).complete('job');
    assert.deepEqual(storage.get(key), ['logs', 'later', 'job']);
  });
});
