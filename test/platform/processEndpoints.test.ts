import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { launch } from './launch.ts';
import { Api, cleanUp, dataDirectory, endpointBody, otherAccount, platformForTest } from './support.ts';

/** An image that other platforms run in a container. */
const image = 'docker.io/library/worker:1';
const paused = { workers: { min: 0, max: 0 } };
const template = { name: 't', serverless: true };

describe('Endpoints that run programs on this machine', () => {
  afterEach(cleanUp);

  it("are refused for accounts other than the owner's, with a remedy", async () => {
    const { api } = await platformForTest();
    const ada = await otherAccount(api);
    const { detail } = await ada.refused(403, operations.createEndpoint, { body: endpointBody(paused) });
    assert.match(detail ?? '', /only its owner.*--allow-process-endpoints/);
    const { id } = await ada.createEndpoint({ ...paused, image });
    const parameters = { id };
    await ada.refused(403, operations.updateEndpoint, { parameters, body: { image: endpointBody().image } });
    assert.equal((await ada.call(operations.updateEndpoint, { parameters, body: { name: 'new' } })).name, 'new');
  });

  it('are refused for other accounts as templates, and from a template of the owner', async () => {
    const { api } = await platformForTest();
    const ada = await otherAccount(api);
    const body = { ...template, image: 'process:/srv' };
    await ada.refused(403, operations.createTemplate, { body });
    const { id } = await ada.call(operations.createTemplate, { body: { ...template, image } });
    await ada.refused(403, operations.updateTemplate, { parameters: { id }, body: { image: 'process:/srv' } });
    const shared = await api.call(operations.createTemplate, { body: { ...body, public: true } });
    const { image: _, cmd: __, ...rest } = endpointBody(paused);
    await ada.refused(403, operations.createEndpoint, { body: { ...rest, templateId: shared.id } });
    const own = await ada.createEndpoint({ ...paused, image });
    await ada.refused(403, operations.updateEndpoint, { parameters: { id: own.id }, body: { templateId: shared.id } });
    await api.call(operations.createEndpoint, { body: { ...rest, templateId: shared.id } });
  });

  it("are allowed with any key of the owner's account, including limited keys", async () => {
    const { api } = await platformForTest();
    const { key } = await api.call(controlOperations.createApiKey, { body: { name: 'second' } });
    await new Api({ ...api.addresses, apiKey: key }).createEndpoint(paused);
  });

  it('are paused when the platform restarts without allowing them', async () => {
    const dataDir = await dataDirectory();
    const first = await platformForTest({ dataDir, allowProcessEndpoints: true });
    const account = await otherAccount(first.api);
    const { apiKey } = account.addresses;
    const endpoint = await account.createEndpoint({ workers: { min: 1, max: 2 } });
    const own = await first.api.createEndpoint({ workers: { min: 1, max: 2 } });
    await first.platform.close();

    const second = await platformForTest({ dataDir });
    const ada = new Api({ ...second.api.addresses, apiKey });
    const parameters = { id: endpoint.id };
    const { workers } = await ada.call(operations.getEndpoint, { parameters });
    assert.deepEqual([workers.min, workers.max], [0, 0]);
    await ada.run(endpoint, {});
    assert.deepEqual(await ada.workers(endpoint), []);
    await ada.refused(403, operations.updateEndpoint, { parameters, body: { workers: { max: 1 } } });
    await second.api.worker(own, 'IDLE');
    await second.platform.close();

    const third = await platformForTest({ dataDir, allowProcessEndpoints: true });
    const again = new Api({ ...third.api.addresses, apiKey });
    await again.call(operations.updateEndpoint, { parameters, body: { workers: { max: 1 } } });
    await again.worker(endpoint, 'IDLE');
  });

  it('are allowed for all accounts if the platform is started with --allow-process-endpoints', async () => {
    const { api } = await platformForTest({ allowProcessEndpoints: true });
    await (await otherAccount(api)).createEndpoint(paused);
    const started = launch(['--json', '--in-memory', '--allow-process-endpoints']);
    await (await otherAccount(new Api(await started.announcement()))).createEndpoint(paused);
  });
});
