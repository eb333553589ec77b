import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import { createClient } from '../../../../src/client/client.ts';
import { readAlternatives } from '../../../../src/account/hardware/readHardwareStock.ts';
import { sortedOffers, type HardwareOffer } from '../../../../src/account/hardware/hardwareOffers.ts';
import { readHardware } from '../../../../src/features/manifest/actions/readHardware.ts';
import { readRunTimes } from '../../../../src/features/manifest/actions/readRunTimes.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';
import { endpoint as sample } from '../../endpoints/sample.ts';
import { cleanUp, platformForTest } from '../../../platform/support.ts';

const { signal } = new AbortController();
const satisfying = (offers: readonly HardwareOffer[]) => offers.filter(({ reasons }) => reasons.length === 0);

describe('Reading the hardware of the local platform', () => {
  afterEach(cleanUp);

  async function local() {
    const { api } = await platformForTest();
    return { api, client: createClient({ connection: api.addresses, fetch }) };
  }

  it('returns the pools and flavors that satisfy a manifest, cheapest first', async () => {
    const { client } = await local();
    const settings = { gpu: { pools: ['AMPERE_24'], count: 2 } };
    const { offers } = await readHardware(client, { settings, others: { memoryGb: 96 } }, signal);
    const gpus = sortedOffers(satisfying(offers).filter(({ kind }) => kind === 'gpu'));
    assert.deepEqual(
      gpus.slice(0, 2).map(({ id, count, usdPerHour, stock }) => [id, count, usdPerHour, stock]),
      [
        ['AMPERE_48', 2, 2.448, 'HIGH'],
        ['ADA_48_PRO', 2, 3.816, 'HIGH'],
      ],
    );
    assert.equal(offers.find(({ isChosen }) => isChosen)?.id, 'AMPERE_24');
  });

  it('uses the data centers of the mounted volumes', async () => {
    const { client } = await local();
    const { id } = await client.createNetworkVolume({ body: { name: 'v', size: 10, dataCenter: 'EU-RO-1' } });
    const settings = { mounts: { network: [{ volumeId: id }] } };
    const { needs, offers } = await readHardware(client, { settings }, signal);
    assert.deepEqual(needs.dataCenters, ['EU-RO-1']);
    assert.deepEqual(offers[0]?.dataCenters, ['EU-RO-1']);
  });

  it('takes the run times of the jobs on each hardware that the endpoint has had', async () => {
    const { api, client } = await local();
    const endpoint = await api.createEndpoint();
    const run = async () => {
      const { id } = await api.run(endpoint, { do: 'echo', value: 1 });
      await api.jobWithStatus(endpoint, id, 'COMPLETED');
    };
    assert.equal(await readRunTimes(client, endpoint, signal), undefined);
    await run();
    const first = await readRunTimes(client, endpoint, signal);
    assert.deepEqual([...(first?.byHardware.keys() ?? [])], ['cpu cpu3c 2']);
    const changed = await client.updateEndpoint({ id: endpoint.id, body: { cpu: [{ id: 'cpu5c', vcpuCount: 4 }] } });
    await run();
    const times = await readRunTimes(client, changed, signal);
    assert.deepEqual([...(times?.byHardware.keys() ?? [])].sort(), ['cpu cpu3c 2', 'cpu cpu5c 4']);
    const { offers } = await readHardware(client, { settings: changed, endpoint: changed }, signal);
    const measured = offers.filter(({ isMeasured }) => isMeasured);
    assert.deepEqual(measured.map(({ id }) => id).sort(), ['cpu3c', 'cpu5c']);
    for (const { usdPerJob, usdPerHour, secondsPerJob } of measured)
      assert.equal(usdPerJob, ((secondsPerJob ?? NaN) / 3_600) * (usdPerHour ?? NaN));
  });
});

describe('Reading the hardware of a hosted platform', () => {
  const gpu = (pool: string, serverless: number | undefined, centers: Readonly<Record<string, string>>) => ({
    ...{ id: `NVIDIA ${pool}`, name: pool, pool, manufacturer: 'NVIDIA', memory: 24, secure: true, community: false },
    ...{ price: { secure: 1, community: 0, serverless }, maxCount: { secure: 8, community: 0 } },
    dataCenters: Object.entries(centers).map(([id, availability]) => ({ id, name: id, availability })),
  });
  const gpus = [gpu('A5000', 0.57, { 'EU-RO-1': 'NONE', 'US-KS-2': 'HIGH' }), gpu('L4', 0.69, { 'EU-RO-1': 'LOW' })];
  const volume = { id: 'v1', name: 'models', size: 10, dataCenter: 'EU-RO-1', type: 'STANDARD' };
  const answers: Readonly<Record<string, object>> = {
    '/v2/catalog/gpus': { gpus },
    '/v2/catalog/cpus': { cpus: [] },
    '/v2/network-volumes': { networkVolumes: [volume] },
  };
  const hosted: Script = ({ path }, response) => {
    const answer = answers[path.split('?')[0] ?? ''];
    json(response, answer ? 200 : 404, answer ?? { status: 404, title: 'Not found' });
  };
  const endpoint = { ...sample, gpu: { pools: ['A5000'] }, mounts: { network: [{ volumeId: 'v1', path: '/data' }] } };

  it('asks for the availability for the GPU count and the CUDA versions, and without the latter', async () => {
    await using server = await startScriptedServer(hosted);
    const settings = { gpu: { pools: ['L4'], count: 2, minCudaVersion: '12.8' } };
    await readHardware(server.client, { settings }, signal);
    const queries = server.received.filter(({ path }) => path.startsWith('/v2/catalog/gpus')).map(({ path }) => path);
    const common = 'include=AVAILABILITY&product=SERVERLESS&count=2';
    assert.deepEqual(
      queries.map((path) => path.split('?')[1]).sort(),
      [common, `${common}&minCudaVersion=12.8`].sort(),
    );
  });

  it('finds the hardware with stock where the volume is', async () => {
    await using server = await startScriptedServer(hosted);
    const { offers } = await readHardware(server.client, { settings: endpoint, endpoint }, signal);
    assert.deepEqual(
      offers.map(({ id, reasons, elsewhere }) => [id, reasons, elsewhere]),
      [
        ['A5000', ['dataCenter'], ['US-KS-2']],
        ['L4', [], []],
      ],
    );
  });

  it('uses the jobs that the user ran, because the platform measures none', async () => {
    await using server = await startScriptedServer(hosted);
    const jobs = [
      { status: 'COMPLETED', executionTime: 3_600_000 },
      { status: 'FAILED', executionTime: 1 },
    ];
    const { offers } = await readHardware(server.client, { settings: endpoint, endpoint, jobs }, signal);
    assert.deepEqual([offers[1]?.usdPerJob, offers[1]?.isMeasured], [0.69, false]);
  });

  it('names the alternatives of an endpoint with the present price', async () => {
    await using server = await startScriptedServer(hosted);
    const found = await readAlternatives(server.client, endpoint);
    assert.deepEqual([found?.offers.map(({ id }) => id), found?.usdPerHour], [['L4'], 0.57]);
  });

  it('fails with the reason if the catalog cannot be read, and then has no alternatives', async () => {
    await using server = await startScriptedServer((_, response) =>
      json(response, 503, { status: 503, title: 'Down' }),
    );
    await assert.rejects(readHardware(server.client, { settings: endpoint }, signal), (error) => {
      assert.ok(error instanceof ApiError);
      return error.kind === 'server';
    });
    assert.equal(await readAlternatives(server.client, endpoint), undefined);
  });

  it('ends with the reason of the signal', async () => {
    await using server = await startScriptedServer(hosted);
    const aborted = AbortSignal.abort(new Error('left'));
    await assert.rejects(readAlternatives(server.client, endpoint, aborted), /left/);
  });
});
