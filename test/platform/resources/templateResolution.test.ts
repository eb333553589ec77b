// Clauses of the interface: Rules 7.
import assert from 'node:assert/strict';
import { operations } from '../../../src/contract/operations.ts';
import { cleanUp, endpointBody, platformForTest, type Api } from '../support.ts';

describe('Platform: an endpoint with a template', () => {
  let api: Api;

  before(async () => {
    ({ api } = await platformForTest());
  });

  after(cleanUp);

  /** Changes for an endpoint without workers and without the settings of a template. */
  const bare = {
    ...{ image: undefined, cmd: undefined, disk: undefined, cpu: undefined },
    ...{ gpu: { pools: ['ADA_24'] }, workers: { min: 0, max: 0 } },
  };

  const template = async (changes: object = {}) => {
    const registry = await api.call(operations.createRegistry, {
      body: { name: `registry ${Math.random()}`, username: 'u', password: 'p' },
    });
    const settings = {
      ...{ name: 'base', image: 'example/base:1', serverless: true, args: 'serve --fast', disk: 20 },
      ...{ ports: ['8000/http'], env: { A: 'template', B: 'template' }, registry: registry.id },
      ...{ allowedCudaVersions: ['12.4', '12.5'], startSsh: true, startJupyter: true, ...changes },
    };
    return api.call(operations.createTemplate, { body: settings });
  };

  const refused = (status: number, changes: object) =>
    api.refused(status, operations.createEndpoint, { body: endpointBody({ ...bare, ...changes }) });

  it('takes the container settings of the template', async () => {
    const { id: templateId, registry } = await template();
    const endpoint = await api.createEndpoint({ ...bare, templateId });
    assert.equal(endpoint.image, 'example/base:1');
    assert.equal(endpoint.args, 'serve --fast');
    assert.deepEqual(endpoint.cmd, ['serve', '--fast']);
    assert.equal(endpoint.disk, 20);
    assert.deepEqual(endpoint.ports, ['8000/http']);
    assert.deepEqual(endpoint.env, { A: 'template', B: 'template' });
    assert.equal(endpoint.registry, registry);
    assert.deepEqual(await api.call(operations.getEndpoint, { parameters: { id: endpoint.id } }), endpoint);
  });

  it('does not take the SSH and Jupyter flags of the template', async () => {
    const { id: templateId } = await template();
    const endpoint = await api.createEndpoint({ ...bare, templateId });
    assert.ok(!('startSsh' in endpoint) && !('startJupyter' in endpoint));
  });

  it('keeps the settings in its body, and merges env by name', async () => {
    const { id: templateId } = await template();
    const endpoint = await api.createEndpoint({
      ...bare,
      ...{ templateId, image: 'example/mine:2', args: 'mine', disk: 3, ports: [], registry: null },
      env: { B: 'body', C: 'body' },
    });
    assert.deepEqual(
      [endpoint.image, endpoint.args, endpoint.disk, endpoint.ports, endpoint.registry],
      ['example/mine:2', 'mine', 3, [], null],
    );
    assert.deepEqual(endpoint.env, { A: 'template', B: 'body', C: 'body' });
  });

  it('keeps the command in its body, as args, entrypoint, or cmd', async () => {
    const { id: templateId } = await template();
    const byCmd = await api.createEndpoint({ ...bare, templateId, cmd: ['mine'] });
    assert.deepEqual([byCmd.args, byCmd.entrypoint, byCmd.cmd], [undefined, undefined, ['mine']]);
    const byEntrypoint = await api.createEndpoint({ ...bare, templateId, entrypoint: ['mine'] });
    assert.deepEqual([byEntrypoint.entrypoint, byEntrypoint.cmd], [['mine'], undefined]);
    const cleared = await api.createEndpoint({ ...bare, templateId, args: '' });
    assert.deepEqual([cleared.args, cleared.cmd], [undefined, undefined]);
  });

  it('takes the CUDA versions of the template if it has GPUs and no CUDA constraint', async () => {
    const { id: templateId } = await template();
    const versions = async (gpu: { pools: string[]; minCudaVersion?: string; allowedCudaVersions?: string[] }) => {
      const { gpu: answer } = await api.createEndpoint({ ...bare, templateId, gpu });
      return [answer?.allowedCudaVersions, answer?.minCudaVersion];
    };
    const pools = ['ADA_24'];
    assert.deepEqual(await versions({ pools }), [['12.4', '12.5'], null]);
    assert.deepEqual(await versions({ pools, allowedCudaVersions: ['12.8'] }), [['12.8'], null]);
    assert.deepEqual(await versions({ pools, allowedCudaVersions: [] }), [[], null]);
    assert.deepEqual(await versions({ pools, minCudaVersion: '12.1' }), [[], '12.1']);
  });

  it('takes no CUDA versions if it has CPUs', async () => {
    const { id: templateId } = await template();
    const endpoint = await api.createEndpoint({
      ...bare,
      ...{ templateId, gpu: undefined, cpu: [{ id: 'cpu3c', vcpuCount: 2 }] },
    });
    assert.equal(endpoint.gpu, null);
    assert.equal(endpoint.image, 'example/base:1');
  });

  it('does not change with the template', async () => {
    const { id: templateId } = await template();
    const endpoint = await api.createEndpoint({ ...bare, templateId });
    const body = { image: 'example/base:2', env: {}, disk: 1, serverless: false };
    await api.call(operations.updateTemplate, { parameters: { id: templateId }, body });
    assert.deepEqual(await api.call(operations.getEndpoint, { parameters: { id: endpoint.id } }), endpoint);
  });

  it('can use a template of the public catalog', async () => {
    const { templates } = await api.call(operations.listPublicTemplates, { query: { source: 'verified' } });
    const vllm = templates.find(({ category, serverless }) => category === 'NVIDIA' && serverless);
    assert.ok(vllm);
    const endpoint = await api.createEndpoint({ ...bare, templateId: vllm.id });
    assert.deepEqual([endpoint.image, endpoint.env, endpoint.args], [vllm.image, vllm.env, vllm.args]);
    assert.deepEqual(endpoint.gpu?.allowedCudaVersions, vllm.allowedCudaVersions);
  });

  it('is refused with 404 for an unknown template, and with 422 for a pod template', async () => {
    const unknown = await refused(404, { templateId: 'nope' });
    assert.equal(unknown.detail, "template 'nope' not found");
    assert.deepEqual(unknown.errors, ["$.templateId: there is no template 'nope'"]);
    const { id: templateId } = await template({ serverless: false });
    const ofPod = await refused(422, { templateId });
    assert.match(ofPod.detail ?? '', /is not a serverless template/);
    assert.deepEqual(ofPod.errors, [`$.templateId: '${templateId}' is not a serverless template`]);
    const { templates } = await api.call(operations.listPublicTemplates);
    const ofPods = templates.find(({ serverless }) => !serverless);
    await refused(422, { templateId: ofPods?.id });
  });

  it('takes the settings of another template on an update', async () => {
    const [{ id: first }, { id: second }] = [await template(), await template({ image: 'example/other:1', disk: 9 })];
    const endpoint = await api.createEndpoint({ ...bare, templateId: first });
    const parameters = { id: endpoint.id };
    const changed = await api.call(operations.updateEndpoint, { parameters, body: { templateId: second } });
    assert.deepEqual([changed.image, changed.disk], ['example/other:1', 9]);
    await api.call(operations.deleteTemplate, { parameters: { id: first } });
    await api.refused(400, operations.deleteTemplate, { parameters: { id: second } });
    await api.refused(404, operations.updateEndpoint, { parameters, body: { templateId: first } });
    const { id: ofPods } = await template({ serverless: false });
    await api.refused(422, operations.updateEndpoint, { parameters, body: { templateId: ofPods } });
  });

  it('prevents the deletion of the template until the endpoint is deleted', async () => {
    const { id: templateId, name } = await template();
    const endpoint = await api.createEndpoint({ ...bare, templateId });
    const { detail } = await api.refused(400, operations.deleteTemplate, { parameters: { id: templateId } });
    assert.equal(detail, `the template '${name}' is in use by the endpoint 'test' (${endpoint.id})`);
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    await api.call(operations.deleteTemplate, { parameters: { id: templateId } });
  });
});
