import assert from 'node:assert/strict';
import { createClient } from '../../../src/client/client.ts';
import { liveLists } from '../../../src/account/liveValues/liveLists.ts';
import { readMounts } from '../../../src/features/volumes/actions/readMounts.ts';
import { dataCenterChoices } from '../../../src/features/volumes/model/dataCenterChoices.ts';
import { cleanUp, endpointBody, platformForTest } from '../../platform/support.ts';

describe('Network volumes', () => {
  afterEach(cleanUp);

  it('are offered where the wanted GPUs have the best stock first', async () => {
    const { platform } = await platformForTest();
    const client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    const [dataCenters, gpus] = await Promise.all([
      liveLists.dataCenters.read(client, {}),
      liveLists.gpus.read(client, {}),
    ]);
    const pool = gpus.find((one) => one.pool !== null)?.pool ?? '';
    const choices = dataCenterChoices(dataCenters, gpus, new Set([pool]));
    assert.ok(choices.length > 0);
    assert.ok(choices.every(({ dataCenter }) => dataCenter.networkVolumeTypes.length > 0));
    const wanted = new Set(gpus.filter((one) => one.pool === pool).map(({ name }) => name));
    assert.ok(choices.every(({ stock }) => stock.every(({ gpu }) => wanted.has(gpu))));
  });

  it('name the endpoints that mount them', async () => {
    const { platform } = await platformForTest();
    const client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    const { id } = await client.createNetworkVolume({ body: { name: 'v', size: 10, dataCenter: 'EU-RO-1' } });
    assert.deepEqual(await readMounts(client, id), []);
    const mounts = { network: [{ volumeId: id, path: '/data' }] };
    await client.createEndpoint({ body: endpointBody({ name: 'user', mounts, workers: { min: 0, max: 1 } }) });
    assert.deepEqual(await readMounts(client, id), ['user']);
    await assert.rejects(client.deleteNetworkVolume({ id }));
  });
});
