import assert from 'node:assert/strict';
import type { CpuType, GpuType } from '../../../src/contract/catalog.ts';
import { workerPrice } from '../../../src/account/prices/workerPrice.ts';

const gpu = (id: string, pool: string, serverless?: number) =>
  ({ id, pool, price: { secure: 9, community: 9, ...(serverless === undefined ? {} : { serverless }) } }) as GpuType;
const live = {
  gpus: [gpu('a', 'SMALL', 0.5), gpu('b', 'SMALL', 0.75), gpu('c', 'LARGE', 2), gpu('d', 'UNPRICED')],
  cpus: [{ id: 'cpu3c', price: { securePerVcpu: 9, serverlessPerVcpu: 0.02 } } as CpuType],
};

describe('The price of a worker', () => {
  it('is that of the most expensive type of the pools, times the number of GPUs', () => {
    assert.equal(workerPrice({ gpu: { pools: ['SMALL'] } }, live), 0.75);
    assert.equal(workerPrice({ gpu: { pools: ['SMALL', 'LARGE'], count: 2 } }, live), 4);
  });

  it('ignores excluded types', () => {
    assert.equal(workerPrice({ gpu: { pools: ['SMALL'], excludedTypes: ['b'] } }, live), 0.5);
  });

  it('is that of the vCPUs of the most expensive flavor', () => {
    const cpu = [
      { id: 'cpu3c', vcpuCount: 2 },
      { id: 'cpu3c', vcpuCount: 8 },
    ];
    assert.equal(workerPrice({ cpu }, live), 0.16);
  });

  it('is unknown unless the price of each pool and flavor is known', () => {
    assert.equal(workerPrice({ gpu: { pools: ['SMALL', 'UNPRICED'] } }, live), undefined);
    assert.equal(workerPrice({ gpu: { pools: ['OTHER'] } }, live), undefined);
    assert.equal(workerPrice({ cpu: [{ id: 'cpu9', vcpuCount: 2 }] }, live), undefined);
    assert.equal(workerPrice({ gpu: { pools: ['SMALL'] } }, {}), undefined);
  });
});
