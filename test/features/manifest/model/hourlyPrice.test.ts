import assert from 'node:assert/strict';
import { GpuType, CpuType } from '../../../../src/contract/catalog.ts';
import { highestPrice, workerPrice } from '../../../../src/features/manifest/model/hourlyPrice.ts';

const gpu = (id: string, pool: string, serverless?: number) =>
  GpuType.parse({
    ...{ id, name: id, pool, manufacturer: 'NVIDIA', memory: 24, secure: true, community: true },
    price: { secure: 9, community: 9, ...(serverless === undefined ? {} : { serverless }) },
    maxCount: { secure: 8, community: 8 },
  });
const cpu = CpuType.parse({
  ...{ id: 'cpu3c', name: 'cpu3c', group: 'c', vcpu: { min: 2, max: 32 }, ramGbPerVcpu: 2 },
  price: { securePerVcpu: 9, serverlessPerVcpu: 0.25 },
});
const prices = {
  gpus: [gpu('low', 'A', 0.5), gpu('high', 'A', 2), gpu('other', 'B', 3), gpu('free', 'C')],
  cpus: [cpu],
};

describe('workerPrice', () => {
  it('is the range of the GPU types in the pools, without excluded types, times the count', () => {
    assert.deepEqual(workerPrice({ gpu: { pools: ['A'], count: 2 } }, prices), { lowest: 1, highest: 4 });
    assert.deepEqual(workerPrice({ gpu: { pools: ['A', 'B'], excludedTypes: ['low '] } }, prices), {
      lowest: 2,
      highest: 3,
    });
  });

  it('is the range of the CPU flavors times their vCPUs', () => {
    const flavors = [2, 8].map((vcpuCount) => ({ id: 'cpu3c', vcpuCount }));
    assert.deepEqual(workerPrice({ cpu: flavors }, prices), { lowest: 0.5, highest: 2 });
  });

  it('is unknown if a price is missing', () => {
    assert.equal(workerPrice({ gpu: { pools: ['A', 'C'] } }, prices), undefined);
    assert.equal(workerPrice({ cpu: [{ id: 'cpu9', vcpuCount: 2 }] }, prices), undefined);
    assert.equal(workerPrice({ gpu: { pools: ['A'] } }, {}), undefined);
  });
});

describe('highestPrice', () => {
  it('adds up all workers at the highest price, and uses the default number of workers', () => {
    const endpoints = [{ gpu: { pools: ['A'] }, workers: { max: 5 } }, { cpu: [{ id: 'cpu3c', vcpuCount: 4 }] }];
    assert.equal(highestPrice(endpoints, prices), 13);
  });

  it('is unknown if one price is unknown', () => {
    assert.equal(highestPrice([{ gpu: { pools: ['A'] } }, { gpu: { pools: ['C'] } }], prices), undefined);
  });
});
