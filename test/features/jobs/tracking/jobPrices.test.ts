import assert from 'node:assert/strict';
import type { PriceSource } from '../../../../src/features/costs/model/workerCost.ts';
import { JobHistoryStore, type StoredJob } from '../../../../src/features/jobs/jobHistoryStore.ts';
import { repriced, updateJobPrices } from '../../../../src/features/jobs/tracking/jobPrices.ts';
import { prices } from '../../costs/sample.ts';
import { endpoint, snapshot, worker, workers } from '../../endpoints/sample.ts';
import { memento } from '../memento.ts';

const hosted: PriceSource = { prices, takesFirst: false };
const job = (changes: Partial<StoredJob> = {}): StoredJob => ({
  ...{ id: 'j', endpointId: endpoint.id, endpointName: 'hello', submittedAt: 0, status: 'COMPLETED', workerId: 'w1' },
  ...changes,
});
const gpu = { pools: ['SMALL', 'LARGE'] };
/** An endpoint whose worker w1 has a GPU of this type. */
const on = (gpuTypeId?: string) =>
  snapshot(
    { ...workers('IDLE'), workers: [worker('w1', 'IDLE', { gpuCount: 1, gpuTypeId })] },
    { endpoint: { ...endpoint, gpu } },
  );

describe('The price of a job', () => {
  it('is that of its worker, once that is known', () => {
    const priced = repriced(job({ pricePerHour: 2 }), on('a'), hosted);
    assert.deepEqual([priced?.pricePerHour, priced?.isWorkerPrice], [0.5, true]);
    assert.equal(priced && repriced(priced, on('c'), hosted), undefined);
  });

  it('is that of a CPU worker', () => {
    const cpu = snapshot(workers('IDLE'), { endpoint: { ...endpoint, cpu: [{ id: 'cpu3c', vcpuCount: 2 }] } });
    const priced = repriced(job(), cpu, hosted);
    assert.deepEqual([priced?.pricePerHour, priced?.isWorkerPrice], [0.072, true]);
  });

  it('is the highest one of its endpoint while the type of its worker is not known', () => {
    const priced = repriced(job(), on(), hosted);
    assert.deepEqual([priced?.pricePerHour, priced?.isWorkerPrice], [2, undefined]);
    assert.equal(repriced(job({ pricePerHour: 1 }), on(), hosted), undefined);
    assert.equal(repriced(job({ workerId: 'gone' }), on('a'), hosted)?.pricePerHour, 2);
  });

  it('stays unknown without prices', () => {
    assert.equal(repriced(job(), on(), { prices: {}, takesFirst: false }), undefined);
  });

  it('is stored for the jobs of known endpoints only', async () => {
    const history = new JobHistoryStore(memento());
    for (const id of ['1', '2']) await history.put('c', job({ id }));
    await history.put('c', job({ id: '3', endpointId: 'other' }));
    const changes: string[] = [];
    history.onDidChange((id) => changes.push(id));
    const sources = { history, find: (id: string) => (id === endpoint.id ? on('a') : undefined), source: hosted };
    await updateJobPrices('c', sources);
    await updateJobPrices('c', sources);
    assert.deepEqual(
      history.recent('c').map(({ id, pricePerHour }) => [id, pricePerHour]),
      [
        ['3', undefined],
        ['2', 0.5],
        ['1', 0.5],
      ],
    );
    assert.equal(changes.length, 2, 'a known price is not stored again');
  });
});
