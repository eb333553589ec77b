import assert from 'node:assert/strict';
import { operations } from '../../../src/contract/operations.ts';
import { cleanUp, platformForTest, type Api } from '../support.ts';

describe('Platform: catalog', () => {
  let api: Api;

  before(async () => {
    ({ api } = await platformForTest());
  });

  after(cleanUp);

  type Query = Record<string, string | number>;
  const gpus = async (query: Query = {}) => (await api.call(operations.listGpuTypes, { query })).gpus;
  const cpus = async (query: Query = {}) => (await api.call(operations.listCpuTypes, { query })).cpus;
  const centers = async (query: Query = {}) => (await api.call(operations.listDataCenters, { query })).dataCenters;
  const violations = ({ errors = [] }: { errors?: string[] }) => errors.map((error) => error.split(':')[0]).sort();

  describe('GPU types', () => {
    it('have a pool and a price per hour, and include availability only on request', async () => {
      const all = await gpus();
      const rtx4090 = all.find(({ name }) => name === 'RTX 4090');
      assert.deepEqual(rtx4090, {
        ...{ id: 'NVIDIA GeForce RTX 4090', name: 'RTX 4090', pool: 'ADA_24', manufacturer: 'NVIDIA', memory: 24 },
        ...{ secure: true, community: false, price: { secure: 1.116, community: 0, serverless: 1.116 } },
        maxCount: { secure: 8, community: 0 },
      });
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
      const parameters = { id: rtx4090.id };
      assert.deepEqual(await api.call(operations.getGpuType, { parameters }), rtx4090);
    });

    it('have at least the memory that their pool names, in sizes that exist', async () => {
      const all = await gpus();
      for (const { id, pool, memory } of all) assert.ok(memory >= Number(/_(\d+)/.exec(pool ?? '')?.[1]), id);
      const sizes = [...new Set(all.map(({ memory }) => memory))].sort((a, b) => a - b);
      assert.deepEqual(sizes, [16, 20, 24, 48, 80, 94, 96, 141, 180]);
    });

    it('have pools that endpoints can use', async () => {
      for (const pool of new Set((await gpus()).map((type) => type.pool ?? ''))) {
        const paused = { workers: { min: 0, max: 0 }, cpu: undefined };
        const endpoint = await api.createEndpoint({ ...paused, gpu: { pools: [pool] } });
        await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
      }
    });

    it('are available for endpoints on the secure cloud, up to the count of a host', async () => {
      const level = async (query: Query) => {
        const levels = (await gpus({ include: 'AVAILABILITY', ...query })).map(({ availability }) => availability);
        return [...new Set(levels)].join();
      };
      assert.equal(await level({ product: 'SERVERLESS' }), 'HIGH');
      assert.equal(await level({ product: 'POD,CLUSTER' }), 'NONE');
      assert.equal(await level({ product: 'POD,SERVERLESS' }), 'HIGH');
      assert.equal(await level({ product: 'SERVERLESS', count: 8, cloud: 'SECURE' }), 'HIGH');
      assert.equal(await level({ product: 'SERVERLESS', count: 9 }), 'NONE');
      assert.equal(await level({ product: 'SERVERLESS', cloud: 'COMMUNITY' }), 'NONE');
      assert.equal(await level({ product: 'SERVERLESS', countryCodes: 'RO,CZ' }), 'HIGH');
      assert.equal(await level({ product: 'SERVERLESS', countryCodes: 'AQ' }), 'NONE');
      assert.equal(await level({ product: 'SERVERLESS', cudaVersions: '99.0' }), 'NONE');
      assert.equal(await level({ product: 'SERVERLESS', minCudaVersion: '12' }), 'HIGH');
    });

    it('list their data centers and CUDA versions, which filters compare by number', async () => {
      const parameters = { id: 'NVIDIA L4' };
      const query = { include: 'AVAILABILITY', product: 'SERVERLESS', countryCodes: 'CZ', minCudaVersion: '12.9' };
      const type = await api.call(operations.getGpuType, { parameters, query });
      assert.deepEqual(type.dataCenters, [{ id: 'EU-CZ-1', name: 'EU-CZ-1', availability: 'HIGH' }]);
      const available = type.cudaVersions?.filter((version) => version.available).map(({ version }) => version);
      assert.deepEqual(available, ['12.9', '13.0']);
    });

    it('reject conflicting filters, and name all of them', async () => {
      const query = { count: 2, cudaVersions: '12.4', minCudaVersion: '12.1' };
      const refused = await api.refused(400, operations.listGpuTypes, { query });
      const names = ['$.count', '$.cudaVersions', '$.minCudaVersion', '$.minCudaVersion'];
      assert.deepEqual(violations(refused), names);
      const one = { parameters: { id: 'NVIDIA L4' }, query: { include: 'AVAILABILITY' } };
      assert.deepEqual(violations(await api.refused(400, operations.getGpuType, one)), ['$.product']);
    });

    it('reject values of the wrong shape and unknown parameters', async () => {
      const query = { include: 'PRICE', countryCodes: 'de', count: 0, cudaVersions: '12', bogus: 1 };
      const refused = await api.refused(422, operations.listGpuTypes, { query });
      const names = ['$.bogus', '$.count', '$.countryCodes[0]', '$.cudaVersions[0]', '$.include[0]'];
      assert.deepEqual(violations(refused), names);
    });

    it('answer 404 for an unknown ID', async () => {
      const { detail } = await api.refused(404, operations.getGpuType, { parameters: { id: 'Voodoo 2' } });
      assert.equal(detail, "GPU type 'Voodoo 2' not found");
    });

    it('can be excluded from the pools of an endpoint, except for types of other pools and all types together', async () => {
      const create = (excludedTypes: string[]) => ({
        body: {
          ...{ name: 'x', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, image: 'i' },
          ...{ workers: { max: 0 }, gpu: { pools: ['AMPERE_48'], excludedTypes } },
        },
      });
      const endpoint = await api.call(operations.createEndpoint, create(['NVIDIA A40']));
      assert.deepEqual(endpoint.gpu?.excludedTypes, ['NVIDIA A40']);
      const foreign = await api.refused(400, operations.createEndpoint, create(['NVIDIA A40', 'NVIDIA L4']));
      assert.match(
        foreign.errors?.join() ?? '',
        /^\$\.gpu\.excludedTypes\[1\]: 'NVIDIA L4' is not in any of the pools/,
      );
      const all = await api.refused(400, operations.createEndpoint, create(['NVIDIA A40', 'NVIDIA RTX A6000']));
      assert.deepEqual(all.errors, ['$.gpu.excludedTypes: excludes every GPU type of the pools']);
    });
  });

  describe('CPU flavors', () => {
    it('have an amount of memory per vCPU, from which endpoints report their memory', async () => {
      const all = await cpus();
      const flavor = all.find(({ id }) => id === 'cpu3g');
      assert.deepEqual(
        [flavor?.group, flavor?.vcpu, flavor?.ramGbPerVcpu],
        ['General Purpose', { min: 2, max: 32 }, 4],
      );
      assert.equal(flavor?.availability, undefined);
      const paused = { workers: { min: 0, max: 0 } };
      const endpoint = await api.createEndpoint({ ...paused, cpu: all.map(({ id }) => ({ id, vcpuCount: 4 })) });
      assert.deepEqual(
        endpoint.cpu?.map(({ memory }) => memory),
        all.map(({ ramGbPerVcpu }) => ramGbPerVcpu * 4),
      );
      const parameters = { id: 'cpu3g' };
      assert.deepEqual(await api.call(operations.getCpuType, { parameters }), flavor);
    });

    it('are available for endpoints, up to their number of vCPUs', async () => {
      const level = async (query: Query) => {
        const levels = (await cpus({ include: 'AVAILABILITY', ...query })).map(({ availability }) => availability);
        return [...new Set(levels)].join();
      };
      assert.equal(await level({ product: 'SERVERLESS', vcpuCount: 32 }), 'HIGH');
      assert.equal(await level({ product: 'SERVERLESS', vcpuCount: 33 }), 'NONE');
      assert.equal(await level({ product: 'POD' }), 'NONE');
    });

    it('reject conflicting filters and values of the wrong shape, and answer 404 for an unknown ID', async () => {
      const query = { vcpuCount: 2 };
      assert.deepEqual(violations(await api.refused(400, operations.listCpuTypes, { query })), ['$.vcpuCount']);
      await api.refused(422, operations.listCpuTypes, { query: { product: 'CLUSTER' } });
      await api.refused(404, operations.getCpuType, { parameters: { id: 'cpu9z' } });
      await api.refused(404, operations.getCpuType, { parameters: { id: 'constructor' } });
    });
  });

  describe('data centers', () => {
    it('are filtered by any of the given regions', async () => {
      const all = await centers();
      const [center] = all;
      assert.deepEqual([center?.compliance, center?.globalNetwork], [[], false]);
      const regions = async (query: Query) => [...new Set((await centers(query)).map(({ region }) => region))].sort();
      assert.deepEqual(await regions({ regions: 'EUROPE,ASIA' }), ['ASIA', 'EUROPE']);
      assert.deepEqual(await regions({ regions: 'ANTARCTICA' }), []);
      const parameters = { id: center?.id ?? '' };
      assert.deepEqual(await api.call(operations.getDataCenter, { parameters }), center);
    });

    it('have IDs that begin with their region', async () => {
      const regions: Record<string, string> = {
        ...{ AP: 'ASIA', CA: 'NORTH_AMERICA', EU: 'EUROPE', EUR: 'EUROPE', OC: 'OCEANIA', US: 'NORTH_AMERICA' },
      };
      for (const { id, region } of await centers()) {
        const [, start = ''] = /^([A-Z]+)-[A-Z]{2,3}-\d$/.exec(id) ?? [];
        assert.equal(region, regions[start], id);
      }
    });

    it('must match every given filter', async () => {
      const all = await centers();
      assert.deepEqual(await centers({ networkVolumeTypes: 'STANDARD,HIGH_PERFORMANCE', globalNetwork: 'false' }), all);
      assert.deepEqual(await centers({ globalNetwork: 'true' }), []);
      assert.deepEqual(await centers({ compliance: 'GDPR' }), []);
      assert.deepEqual(await centers({ compliance: '' }), all);
    });

    it('include the availability of GPU types and CPU flavors on request', async () => {
      const [both] = await centers({ include: 'GPU_AVAILABILITY,CPU_AVAILABILITY' });
      assert.equal(both?.gpuAvailability?.length, (await gpus()).length);
      assert.equal(both.cpuAvailability?.length, (await cpus()).length);
      const parameters = { id: 'EU-RO-1' };
      const one = await api.call(operations.getDataCenter, { parameters, query: { include: 'CPU_AVAILABILITY' } });
      assert.equal(one.gpuAvailability, undefined);
      assert.ok(one.cpuAvailability?.every(({ availability }) => availability === 'HIGH'));
    });

    it('reject values of the wrong shape, and answer 404 for an unknown ID', async () => {
      const query = { regions: 'MOON', networkVolumeTypes: 'FAST', compliance: 'NONE', globalNetwork: 'maybe' };
      const refused = await api.refused(422, operations.listDataCenters, { query });
      const names = ['$.compliance[0]', '$.globalNetwork', '$.networkVolumeTypes[0]', '$.regions[0]'];
      assert.deepEqual(violations(refused), names);
      await api.refused(404, operations.getDataCenter, { parameters: { id: 'MOON-1' } });
    });
  });
});
