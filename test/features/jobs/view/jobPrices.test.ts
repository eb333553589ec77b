import assert from 'node:assert/strict';
import type { PriceSource } from '../../../../src/account/prices/workerCost.ts';
import { JobHistoryStore } from '../../../../src/features/jobs/actions/jobHistoryStore.ts';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import { JobPrices, repriced } from '../../../../src/features/jobs/view/jobPrices.ts';
import type { EndpointSnapshot } from '../../../../src/account/endpoints/endpointSnapshot.ts';
import { Emitter } from '../../../../src/kit/emitter.ts';
import { eventually } from '../../../platform/support.ts';
import { prices } from '../../spend/sample.ts';
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
});

/** The price updates of a connection with one known endpoint, whose writes of the history wait for `writes.completed`. */
async function world(jobs: readonly StoredJob[], find: (id: string) => EndpointSnapshot | undefined) {
  const storage = memento();
  const writes = { completed: Promise.resolve() };
  const update = (key: string, value: unknown) => storage.update(key, value).then(() => writes.completed);
  const history = new JobHistoryStore({ ...storage, update });
  for (const one of [...jobs].reverse()) await history.put('c', one);
  const endpointsChanged = new Emitter<void>();
  const pricesChanged = new Emitter<void>();
  const liveValues = { current: prices as PriceSource['prices'], onDidChange: pricesChanged.event };
  const errors: unknown[] = [];
  const updates = new JobPrices({
    connections: { profile: { id: 'c', kind: 'hosted' } },
    history,
    endpoints: { find, onDidChange: endpointsChanged.event },
    liveValues,
    log: { warn: (_, cause) => void errors.push(cause) },
  });
  const pricesOf = () => history.recent('c').map(({ id, pricePerHour }) => [id, pricePerHour]);
  return { history, writes, endpointsChanged, pricesChanged, liveValues, updates, pricesOf, errors };
}

describe('The prices of jobs', () => {
  it('are stored for the jobs of known endpoints only', async () => {
    const jobs = [job({ id: '3', endpointId: 'other' }), job({ id: '2' }), job({ id: '1' })];
    const { endpointsChanged, history, pricesOf, updates } = await world(jobs, (id) =>
      id === endpoint.id ? on('a') : undefined,
    );
    const changes: string[] = [];
    history.onDidChange((id) => changes.push(id));
    endpointsChanged.fire();
    await eventually('both prices are stored', () => changes.length === 2);
    assert.deepEqual(pricesOf(), [
      ['3', undefined],
      ['2', 0.5],
      ['1', 0.5],
    ]);
    endpointsChanged.fire();
    await history.put('c', job({ id: '3', endpointId: 'other' }));
    assert.equal(changes.length, 3, 'a known price is not stored again');
    updates.dispose();
  });

  it('are updated for a change that arrives during an update', async () => {
    const known = new Map<string, EndpointSnapshot>([[endpoint.id, on('a')]]);
    const { endpointsChanged, pricesOf, updates, writes } = await world(
      [job({ id: '2', endpointId: 'other' }), job({ id: '1' })],
      (id) => known.get(id),
    );
    const completed = Promise.withResolvers<void>();
    writes.completed = completed.promise;
    endpointsChanged.fire();
    await eventually('the first price is being stored', () => pricesOf()[1]?.[1] === 0.5);
    known.set('other', on('c'));
    endpointsChanged.fire();
    // Other changes must not cause the update of the second price.
    updates.dispose();
    completed.resolve();
    await eventually('the second price is stored', () => pricesOf()[0]?.[1] === 2);
  });

  it('are updated after a failed update', async () => {
    const { endpointsChanged, errors, pricesOf, updates, writes } = await world(
      [job({ id: '2' }), job({ id: '1' })],
      () => on('a'),
    );
    const failed = Promise.withResolvers<void>();
    writes.completed = failed.promise;
    endpointsChanged.fire();
    failed.reject(new Error('The disk is full'));
    await eventually('the failure is logged', () => errors.length === 1);
    assert.equal(pricesOf()[1]?.[1], undefined);
    writes.completed = Promise.resolve();
    endpointsChanged.fire();
    await eventually('the other price is stored', () => pricesOf()[1]?.[1] === 0.5);
    updates.dispose();
  });
});
