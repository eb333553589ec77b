import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { cleanUp, fixtures, platformForTest, repository } from '../platform/support.ts';
import { buildImage } from './images.ts';
import { hasPackage, importPythonImage, PYTHON_IMAGE } from './pythonImage.ts';
import { onEngines, type TestEngine } from './world.ts';

const VICTIM_IMAGE = 'cloud-compute-test/victim:1';
const SECRET = 'secret of the neighbor';
const SERVER = `
  require('node:http')
    .createServer((request, response) => response.end(request.url === '/ping' ? '' : '${SECRET}'))
    .listen(process.env.PORT);
`;
const LOOP = 'samples/hello-queue/hello/serverless.mjs';

interface Outcomes {
  readonly listen: string;
  readonly connect: readonly unknown[];
  readonly forge: readonly unknown[];
  readonly multiply: string;
}

describe('A hostile image', () => {
  afterEach(cleanUp);

  onEngines(({ running }) => {
    before(async function () {
      if (!(await hasPackage('socket'))) this.skip();
      const { api } = running();
      const files = {
        'test/platform/fixtures/worker.mjs': await readFile(path.join(fixtures, 'worker.mjs'), 'utf8'),
        [LOOP]: await readFile(path.join(repository, LOOP), 'utf8'),
        'app/server.js': SERVER,
      };
      await buildImage(api, VICTIM_IMAGE, { files });
      await importPythonImage(api, path.join(import.meta.dirname, 'fixtures', 'hostile.py'), { packages: false });
    });

    /** Starts a worker with a job and a server, and attacks both from the worker of another endpoint. */
    async function attack(processes: number, workerCapabilities?: readonly string[]) {
      const { api } = await platformForTest({ engine: { containerEngine: running().address, workerCapabilities } });
      const victim = await api.createEndpoint({
        ...{ image: VICTIM_IMAGE, cmd: ['/test/platform/fixtures/worker.mjs'], workers: { min: 0, max: 1 } },
      });
      const server = await api.createEndpoint({
        ...{ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 10 } },
        ...{ image: VICTIM_IMAGE, cmd: ['/app/server.js'], workers: { min: 1, max: 1 } },
      });
      const hostile = await api.createEndpoint({
        ...{ image: PYTHON_IMAGE, cmd: ['/app/hostile.py'], workers: { min: 1, max: 1 } },
      });
      await api.worker(hostile, 'IDLE');
      const job = await api.run(victim, { do: 'hang' });
      const { workerId } = await api.jobWithStatus(victim, job.id, 'IN_PROGRESS');
      await api.worker(server, 'IDLE');
      const [worker, neighbor] = await Promise.all([
        containerOf(running(), victim.id),
        containerOf(running(), server.id),
      ]);
      const { RUNPOD_WEBHOOK_POST_OUTPUT: done = '', RUNPOD_AI_API_KEY: key = '' } = worker.env;
      const url = new URL(done);
      const token = url.searchParams.get('t') ?? key;
      url.searchParams.delete('t');
      const targets = {
        ...{ secret: SECRET, seconds: 3, processes, token },
        done: url.href.replace('$ID', job.id),
        neighbors: [neighbor.gateway, neighbor.address, worker.address],
        servers: [`http://${neighbor.address}:${neighbor.env['PORT']}/`],
      };
      // The traffic that the hostile worker listens to.
      let over = false;
      const talk = async (): Promise<void> => {
        const address = api.addresses.endpointHost.replace('{endpoint_id}', server.id);
        const headers = { Authorization: `Bearer ${api.addresses.apiKey}`, Connection: 'close' };
        while (!over) await fetch(address, { headers }).then((response) => response.text());
      };
      const talking = talk();
      const { output } = await api.runSync(hostile, targets);
      over = true;
      await talking;
      const after = await api.job(victim, job.id);
      assert.equal(after.workerId, workerId);
      return { outcomes: output as Outcomes, job: after };
    }

    it('neither hears, reaches, nor forges another endpoint, and has a limited number of processes', async () => {
      const { outcomes, job } = await attack(2200);
      assert.deepEqual(outcomes, {
        ...{ listen: 'not permitted', connect: ['unreachable'], forge: [401, 401], multiply: 'limited' },
      });
      assert.deepEqual([job.status, job.output], ['IN_PROGRESS', undefined]);
    });

    it('hears nothing of another endpoint even with the capability for it', async () => {
      const { outcomes, job } = await attack(0, ['NET_RAW']);
      assert.deepEqual(
        [outcomes.listen, outcomes.connect, outcomes.forge],
        ['heard nothing', ['unreachable'], [401, 401]],
      );
      assert.equal(job.status, 'IN_PROGRESS');
    });
  });
});

async function containerOf({ api }: TestEngine, endpointId: string) {
  const query = { filters: JSON.stringify({ label: [`cloud-compute.endpoint=${endpointId}`] }) };
  const [found] = await api.json<{ Id: string }[]>({ path: '/v1.41/containers/json', query });
  const { Config: config, NetworkSettings: settings } = await api.json<{
    Config: { Env: string[] };
    NetworkSettings: { Networks: Record<string, { IPAddress: string; Gateway: string }> };
  }>({ path: `/v1.41/containers/${found?.Id}/json` });
  const [network] = Object.values(settings.Networks);
  const variables = config.Env.map((variable) => /^([^=]*)=([^]*)$/.exec(variable)?.slice(1) ?? []);
  return {
    env: Object.fromEntries(variables) as Record<string, string | undefined>,
    ...{ address: network?.IPAddress ?? '', gateway: network?.Gateway ?? '' },
  };
}
