// Clauses of the interface: Endpoints 7, image and hardware; Endpoints 7, maxima; Rules 8.
import assert from 'node:assert/strict';
import { MAX_LISTED } from '../../src/contract/bounds.ts';
import { operations } from '../../src/contract/operations.ts';
import { cleanUp, endpointBody, platformForTest, type Api } from './support.ts';

describe('A create body of an endpoint', () => {
  let api: Api;
  before(async () => ({ api } = await platformForTest()));
  after(cleanUp);

  const paused = { workers: { min: 0, max: 0 } };
  const gpu = { pools: ['ADA_24' as const], count: 1 };
  const refused = async (changes: object): Promise<readonly string[]> => {
    const { errors = [] } = await api.refused(400, operations.createEndpoint, {
      body: endpointBody({ ...paused, ...changes }),
    });
    return errors;
  };

  it('requires an image, unless a template has one', async () => {
    assert.deepEqual(await refused({ image: undefined }), ['$.image: missing: set image or templateId']);
    const body = { name: 'base', image: 'example/base:1', serverless: true };
    const { id: templateId } = await api.call(operations.createTemplate, { body });
    const { image } = await api.createEndpoint({ ...paused, image: undefined, templateId });
    assert.equal(image, 'example/base:1');
  });

  it('requires exactly one of GPUs and CPUs', async () => {
    assert.match((await refused({ cpu: undefined }))[0] ?? '', /^\$\.gpu: /);
    assert.match((await refused({ gpu }))[0] ?? '', /^\$\.cpu: /);
    await api.createEndpoint({ ...paused, cpu: undefined, gpu });
  });

  it('has either a minimum or a list of CUDA versions', async () => {
    const errors = await refused({
      cpu: undefined,
      gpu: { ...gpu, minCudaVersion: '12.1', allowedCudaVersions: ['12.4'] },
    });
    assert.match(errors.join(), /CUDA/i);
    for (const one of [{ minCudaVersion: '12.1' }, { allowedCudaVersions: ['12.4'] }])
      await api.createEndpoint({ ...paused, cpu: undefined, gpu: { ...gpu, ...one } });
  });

  it('accepts lists of 100 items, and refuses longer ones', async () => {
    const ports = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}/http`);
    await api.createEndpoint({ ...paused, ports: ports(MAX_LISTED) });
    assert.match((await refused({ ports: ports(MAX_LISTED + 1) }))[0] ?? '', /^\$\.ports: .*100/);
  });
});
