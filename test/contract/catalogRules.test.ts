import assert from 'node:assert/strict';
import { CpuTypesQuery, GpuTypesQuery } from '../../src/contract/catalog.ts';
import { checkCpuTypesQuery, checkGpuTypesQuery } from '../../src/contract/catalogRules.ts';
import { formatViolation } from '../../src/contract/violation.ts';

const gpus = (query: unknown) => checkGpuTypesQuery(GpuTypesQuery.parse(query)).map(formatViolation);
const cpus = (query: unknown) => checkCpuTypesQuery(CpuTypesQuery.parse(query)).map(formatViolation);

describe('the rules of catalog queries', () => {
  it('let everything be listed, and availability of a product with its filters', () => {
    assert.deepEqual(gpus({}), []);
    assert.deepEqual(gpus({ include: 'AVAILABILITY', product: 'SERVERLESS', count: 2, minCudaVersion: '12.4' }), []);
    assert.deepEqual(cpus({ include: 'AVAILABILITY', product: 'POD', vcpuCount: 4 }), []);
  });

  it('ask which product availability is wanted of', () => {
    assert.deepEqual(gpus({ include: 'AVAILABILITY' }), ['$.product: missing: availability is of a product']);
    assert.deepEqual(cpus({ include: 'AVAILABILITY' }), ['$.product: missing: availability is of a product']);
  });

  it('refuse filters of an availability that is not asked for', () => {
    assert.deepEqual(gpus({ product: 'POD', cloud: 'SECURE' }), [
      '$.product: needs include=AVAILABILITY',
      '$.cloud: needs include=AVAILABILITY',
    ]);
  });

  it('refuse a CUDA floor beside a CUDA set', () => {
    assert.deepEqual(gpus({ include: 'AVAILABILITY', product: 'POD', cudaVersions: '12.4', minCudaVersion: '12.2' }), [
      '$.minCudaVersion: minCudaVersion and cudaVersions exclude each other',
    ]);
  });
});
