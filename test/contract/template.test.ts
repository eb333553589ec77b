import assert from 'node:assert/strict';
import { applyTemplate, type Template } from '../../src/contract/template.ts';
import type { CreateEndpointBody } from '../../src/contract/endpoint.ts';

const template: Template = {
  id: 't1',
  name: 'base',
  serverless: true,
  image: 'example/base:1',
  args: 'serve',
  disk: 20,
  ports: ['8000/http'],
  env: { A: 'template', B: 'template' },
  registry: 'cred1',
  allowedCudaVersions: ['12.4'],
  startSsh: true,
};
const body: CreateEndpointBody = {
  name: 'hello',
  type: 'QUEUE',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
  templateId: 't1',
  gpu: { pools: ['ADA_24'] },
};

describe('applying a template to a create body', () => {
  it('fills in omitted fields, except SSH and Jupyter flags', () => {
    assert.deepEqual(applyTemplate(body, template), {
      ...body,
      image: 'example/base:1',
      args: 'serve',
      disk: 20,
      ports: ['8000/http'],
      env: { A: 'template', B: 'template' },
      registry: 'cred1',
      gpu: { pools: ['ADA_24'], allowedCudaVersions: ['12.4'] },
    });
  });

  it('keeps fields of the body, and merges env per variable', () => {
    const merged = applyTemplate({ ...body, image: 'mine', disk: 5, env: { B: 'body', C: 'body' } }, template);
    assert.equal(merged.image, 'mine');
    assert.equal(merged.disk, 5);
    assert.deepEqual(merged.env, { A: 'template', B: 'body', C: 'body' });
  });

  it('ignores args of the template if the body has a command', () => {
    assert.equal(applyTemplate({ ...body, cmd: ['mine'] }, template).args, undefined);
  });

  it('adds CUDA versions only to a GPU body without CUDA constraints', () => {
    const { gpu, ...withoutGpu } = body;
    assert.equal(
      applyTemplate({ ...body, gpu: { pools: ['X'], minCudaVersion: '12.1' } }, template).gpu?.allowedCudaVersions,
      undefined,
    );
    assert.deepEqual(
      applyTemplate({ ...body, gpu: { pools: ['X'], allowedCudaVersions: [] } }, template).gpu?.allowedCudaVersions,
      [],
    );
    assert.equal(applyTemplate({ ...withoutGpu, cpu: [{ id: 'cpu3c', vcpuCount: 2 }] }, template).gpu, undefined);
    assert.ok(gpu);
  });
});
