import assert from 'node:assert/strict';
import { CpuTypesQuery, GpuTypesQuery } from '../../src/contract/catalog.ts';
import { checkCpuTypesQuery, checkGpuTypesQuery } from '../../src/contract/catalogRules.ts';
import { formatViolation } from '../../src/contract/violation.ts';

const gpus = (query: unknown) => checkGpuTypesQuery(GpuTypesQuery.parse(query)).map(formatViolation);
const cpus = (query: unknown) => checkCpuTypesQuery(CpuTypesQuery.parse(query)).map(formatViolation);

describe('rules of catalog queries', () => {
  it('accept a query without parameters, and filters with availability of a product', () => {
    assert.deepEqual(gpus({}), []);
    assert.deepEqual(gpus({ include: 'AVAILABILITY', product: 'SERVERLESS', count: 2, minCudaVersion: '12.4' }), []);
    assert.deepEqual(cpus({ include: 'AVAILABILITY', product: 'POD', vcpuCount: 4 }), []);
  });

  it('require a product with availability', () => {
    assert.deepEqual(gpus({ include: 'AVAILABILITY' }), ['$.product: missing: required with include=AVAILABILITY']);
    assert.deepEqual(cpus({ include: 'AVAILABILITY' }), ['$.product: missing: required with include=AVAILABILITY']);
  });

  it('reject filters without availability', () => {
    assert.deepEqual(gpus({ product: 'POD', cloud: 'SECURE' }), [
      '$.product: requires include=AVAILABILITY',
      '$.cloud: requires include=AVAILABILITY',
    ]);
  });

  it('reject a minimum CUDA version together with a list of versions', () => {
    assert.deepEqual(gpus({ include: 'AVAILABILITY', product: 'POD', cudaVersions: '12.4', minCudaVersion: '12.2' }), [
      '$.minCudaVersion: minCudaVersion and cudaVersions cannot be combined',
    ]);
  });
});
