// Clauses of the interface: Endpoints 7; Rules 1 to 3; Versioning 3.
import assert from 'node:assert/strict';
import type { CreateEndpointBody } from '../../../src/contract/endpoint.ts';
import type { Template } from '../../../src/contract/template.ts';
import { createEndpoint } from '../../../src/platform/domain/endpoint.ts';
import { endpointAnswer } from '../../../src/platform/domain/endpointAnswer.ts';
import { Refusal } from '../../../src/platform/domain/refusal.ts';

const addresses = { queueUrl: 'http://q', endpointHost: 'http://r/{endpoint_id}' };

describe('createEndpoint', () => {
  const body: CreateEndpointBody = {
    name: 'e',
    type: 'QUEUE',
    scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
    image: 'i',
    gpu: { pools: ['ADA_24'] },
  };
  const template: Template = {
    ...{ id: 't', name: 't', serverless: true, image: 'from-template', args: 'serve', disk: 7 },
    env: { A: 'template', B: 'template' },
    allowedCudaVersions: ['12.4'],
  };
  const create = (changes: Partial<CreateEndpointBody>, templates: Template[] = [template]) =>
    createEndpoint(
      { ...body, ...changes },
      {
        id: 'e1',
        accountId: 'owner',
        now: 0,
        findTemplate: (id) => templates.find((candidate) => candidate.id === id),
        exists: () => true,
        mayRunProcesses: true,
      },
    );
  const refusedWith = (status: number) => (error: unknown) => error instanceof Refusal && error.status === status;

  it('parses args as shell words or as a JSON object', () => {
    assert.deepEqual(create({ args: "python 'a b.py'" }).cmd, ['python', 'a b.py']);
    const both = create({ args: '{"entrypoint": ["python"], "cmd": ["a.py"]}' });
    assert.deepEqual([both.entrypoint, both.cmd], [['python'], ['a.py']]);
  });

  it('treats empty values as omitted', () => {
    const { args, cmd, entrypoint } = create({ args: '', cmd: [], entrypoint: [] });
    assert.deepEqual([args, cmd, entrypoint], [undefined, undefined, undefined]);
  });

  it('starts with the first version, without FlashBoot', () => {
    const { version, flashboot } = create({});
    assert.deepEqual([version, flashboot], [1, 'OFF']);
  });

  it('applies a template, and prefers values of the body', () => {
    const { image: ignored, ...rest } = body;
    const endpoint = createEndpoint(
      { ...rest, templateId: 't', disk: 9, env: { B: 'body' } },
      { id: 'e1', accountId: 'owner', now: 0, findTemplate: () => template, exists: () => true, mayRunProcesses: true },
    );
    assert.equal(ignored, 'i');
    assert.deepEqual([endpoint.image, endpoint.disk, endpoint.cmd], ['from-template', 9, ['serve']]);
    assert.deepEqual(endpoint.env, { A: 'template', B: 'body' });
    assert.deepEqual(endpoint.gpu?.allowedCudaVersions, ['12.4']);
  });

  it('rejects unknown and unsuitable templates', () => {
    assert.throws(() => create({ templateId: 'nope' }), refusedWith(404));
    assert.throws(() => create({ templateId: 't' }, [{ ...template, serverless: false }]), refusedWith(422));
  });

  it('rejects hardware that is not in the catalog', () => {
    assert.throws(
      () => create({ gpu: { pools: ['ADA_24', 'MOON_1'] } }),
      (error) =>
        error instanceof Refusal && /gpu\.pools\[1\]: unknown GPU pool 'MOON_1'.*ADA_24/.test(error.errors[0] ?? ''),
    );
  });

  it('omits idleTimeout from responses if it does not apply', () => {
    const endpoint = create({ scaling: { type: 'REQUEST_COUNT', requestCount: 1 } });
    assert.deepEqual(endpointAnswer(endpoint, addresses).workers, { min: 0, max: 3 });
    const balanced = create({ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } });
    assert.deepEqual(endpointAnswer(balanced, addresses).workers, { min: 0, max: 3, idleTimeout: 10 });
  });

  it('returns only the base URL and the health URL of a load-balanced endpoint', () => {
    const endpoint = create({
      type: 'LOAD_BALANCER',
      scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
      env: { HEALTH_CHECK_PATH: '/healthz' },
    });
    assert.deepEqual(endpointAnswer(endpoint, addresses).requestUrls, {
      base: `http://r/${endpoint.id}`,
      health: `http://r/${endpoint.id}/healthz`,
    });
  });

  it('mounts the volumes of the deprecated networkVolumes', () => {
    const { mounts, networkVolumes } = create({ networkVolumes: ['v1'] });
    assert.deepEqual(mounts.network, [{ volumeId: 'v1', path: '/runpod-volume' }]);
    assert.deepEqual(networkVolumes, ['v1']);
  });
});
