import assert from 'node:assert/strict';
import {
  isBilled,
  presentRate,
  rateOf,
  rateWords,
  workerCost,
  workerCostWords,
  type PriceSource,
} from '../../../src/account/prices/workerCost.ts';
import { worker } from '../../features/endpoints/sample.ts';
import { prices } from '../../features/spend/sample.ts';

const hosted: PriceSource = { prices, takesFirst: false };
const local: PriceSource = { prices, takesFirst: true };
const cpu = [{ id: 'cpu3c', vcpuCount: 2 }];

describe('The price of a present worker', () => {
  it('is that of its GPU type, times the number of its GPUs', () => {
    const hardware = { gpu: { pools: ['SMALL', 'LARGE'], count: 1 } };
    const rate = rateOf(worker('w', 'IDLE', { gpuTypeId: 'a', gpuCount: 2 }), hardware, hosted);
    assert.deepEqual(rate, { usdPerHour: 1, isUpperBound: false });
  });

  it('is an upper bound if the platform does not report the type and the types have different prices', () => {
    const one = worker('w', 'IDLE', { gpuCount: 2 });
    assert.deepEqual(rateOf(one, { gpu: { pools: ['SMALL'] } }, hosted), { usdPerHour: 1.5, isUpperBound: true });
    assert.deepEqual(rateOf(one, { gpu: { pools: ['LARGE'] } }, hosted), { usdPerHour: 4, isUpperBound: false });
  });

  it('is that of the first choice on a platform that always provides it', () => {
    const hardware = { gpu: { pools: ['TINY', 'LARGE'] } };
    assert.deepEqual(rateOf(worker('w', 'IDLE', { gpuCount: 1 }), hardware, local)?.usdPerHour, 0.36);
    assert.deepEqual(rateOf(worker('w', 'IDLE', { gpuCount: 1 }), hardware, hosted)?.usdPerHour, 2);
  });

  it('is that of the vCPUs of its flavor', () => {
    assert.deepEqual(rateOf(worker('w'), { cpu }, hosted), { usdPerHour: 0.072, isUpperBound: false });
  });

  it('is unknown without the prices of its hardware', () => {
    assert.equal(rateOf(worker('w', 'IDLE', { gpuCount: 1 }), { gpu: { pools: ['UNPRICED'] } }, hosted), undefined);
    assert.equal(rateOf(worker('w'), { cpu }, { prices: {}, takesFirst: false }), undefined);
    assert.equal(rateOf(worker('w'), {}, hosted), undefined);
  });
});

describe('The cost of a worker', () => {
  it('is its time since the start at its price', () => {
    const cost = workerCost(worker('w', 'RUNNING', { uptimeSeconds: 1_800 }), { cpu }, hosted);
    assert.deepEqual(cost, { usdPerHour: 0.072, isUpperBound: false, soFar: 0.036 });
    assert.equal(workerCostWords(cost), '$0.04 at $0.072/h');
  });

  it('has no amount if the platform does not report the start, and shows none below a cent', () => {
    const cost = workerCost(worker('w', 'IDLE', { uptimeSeconds: null }), { cpu }, hosted);
    assert.equal(cost?.soFar, undefined);
    assert.equal(cost && workerCostWords(cost), '$0.072/h');
    const fresh = workerCost(worker('w', 'IDLE', { uptimeSeconds: 10 }), { cpu }, hosted);
    assert.equal(fresh && workerCostWords(fresh), '$0.072/h');
  });

  it('does not exist for a worker that the platform does not bill', () => {
    const states = ['RUNNING', 'IDLE', 'INITIALIZING', 'THROTTLED', 'UNHEALTHY', 'NEW_STATE'];
    const billed = states.filter((status) => isBilled({ status, uptimeSeconds: 5 }));
    assert.deepEqual(billed, ['RUNNING', 'IDLE', 'INITIALIZING', 'NEW_STATE']);
    assert.equal(isBilled({ status: 'INITIALIZING', uptimeSeconds: null }), false);
    assert.equal(workerCost(worker('w', 'THROTTLED'), { cpu }, hosted), undefined);
  });

  it('of all present workers is their sum', () => {
    const workers = [worker('w1', 'RUNNING'), worker('w2'), worker('w3', 'THROTTLED')];
    const rate = presentRate(workers, { cpu }, hosted);
    assert.deepEqual(rate, { usdPerHour: 0.144, isUpperBound: false });
    assert.equal(presentRate([], { cpu }, hosted), undefined);
    assert.equal(presentRate([worker('w3', 'THROTTLED')], { cpu }, hosted), undefined);
    const gpus = [worker('w1', 'IDLE', { gpuCount: 1, gpuTypeId: 'c' }), worker('w2', 'IDLE', { gpuCount: 1 })];
    assert.equal(presentRate(gpus, { gpu: { pools: ['UNPRICED'] } }, hosted), undefined);
    const mixed = presentRate(gpus, { gpu: { pools: ['SMALL'] } }, hosted);
    assert.equal(mixed && rateWords(mixed), 'up to $2.75/h');
  });
});
