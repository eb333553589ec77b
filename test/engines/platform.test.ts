import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { operations } from '../../src/contract/operations.ts';
import { cleanUp, eventually, fixtures, platformForTest, repository } from '../platform/support.ts';
import { buildImage } from './images.ts';
import { onEngines, type TestEngine } from './world.ts';

const QUEUE_IMAGE = 'cloud-compute-test/queue:1';
const SERVER_IMAGE = 'cloud-compute-test/server:1';
const SERVER = `
  require('node:http')
    .createServer((request, response) => response.end(request.url === '/ping' ? '' : 'served by ' + process.env.RUNPOD_POD_ID))
    .listen(process.env.PORT);
`;

describe('A platform whose endpoints are images', () => {
  afterEach(cleanUp);

  onEngines(({ running }) => {
    before(async () => {
      const { api } = running();
      const loop = 'samples/hello-queue/hello/serverless.mjs';
      const files = {
        'test/platform/fixtures/worker.mjs': await readFile(path.join(fixtures, 'worker.mjs'), 'utf8'),
        [loop]: await readFile(path.join(repository, loop), 'utf8'),
      };
      await buildImage(api, QUEUE_IMAGE, { files, instructions: ['CMD ["/test/platform/fixtures/worker.mjs"]'] });
      await buildImage(api, SERVER_IMAGE, { files: { 'app/server.js': SERVER }, instructions: ['CMD ["server.js"]'] });
    });

    const platform = async () => platformForTest({ engine: { containerEngine: running().address } });
    const QUEUE = { image: QUEUE_IMAGE, cmd: undefined, workers: { min: 0, max: 2 } } as const;

    it('runs jobs in containers, bills them, and leaves none', async () => {
      const { platform: started, api } = await platform();
      const endpoint = await api.createEndpoint(QUEUE);
      const done = await Promise.all(
        Array.from({ length: 10 }, (_, value) => api.runSync(endpoint, { do: 'echo', value: `${value}` })),
      );
      assert.deepEqual(
        done.map(({ status, output, error }) => [status, output, error]),
        Array.from({ length: 10 }, (_, value) => ['COMPLETED', `${value}`, undefined]),
      );
      const failed = await api.runSync(endpoint, { do: 'fail' });
      assert.equal(failed.status, 'FAILED');
      const { metadata } = await api.call(operations.listBilling, { query: { lastN: 1 } });
      assert.ok(metadata.totals.serverlessCpuAmount > 0);
      const { workerId = '' } = failed;
      const events = await api.logsUntil(endpoint, workerId, ({ line }) => line.endsWith(' started'));
      assert.match(events.at(-1)?.line ?? '', /^container [0-9a-f]{12} started$/);
      await started.close();
      assert.deepEqual(await containersOf(running(), endpoint.id), []);
    });

    it('repeats a job whose container was killed', async () => {
      const { api } = await platform();
      const endpoint = await api.createEndpoint({ ...QUEUE, workers: { min: 0, max: 1 } });
      const job = await api.run(endpoint, { do: 'hang' });
      await api.jobWithStatus(endpoint, job.id, 'IN_PROGRESS');
      const [container] = await containersOf(running(), endpoint.id);
      const path_ = `/v1.41/containers/${container}/kill`;
      await running().api.json({ method: 'POST', path: path_, query: { signal: 'SIGKILL' } });
      await eventually('the job is repeated', async () => {
        const [next] = await containersOf(running(), endpoint.id);
        return next !== undefined && next !== container && (await api.job(endpoint, job.id)).status === 'IN_PROGRESS';
      });
    });

    it('serves the requests of a load-balanced endpoint from its container', async () => {
      const { api } = await platform();
      const endpoint = await api.createEndpoint({
        ...{ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 10 } },
        ...{ image: SERVER_IMAGE, cmd: undefined, workers: { min: 1, max: 1 } },
      });
      const worker = await api.worker(endpoint, 'IDLE');
      const url = api.addresses.endpointHost.replace('{endpoint_id}', endpoint.id);
      const response = await fetch(`${url}/hello`, { headers: { Authorization: `Bearer ${api.addresses.apiKey}` } });
      assert.deepEqual([response.status, await response.text()], [200, `served by ${worker.id}`]);
    });

    it('pauses the container of a scaled-down worker, and resumes it for the next job', async () => {
      const { api } = await platform();
      const workers = { min: 0, max: 1, idleTimeout: 1 };
      const endpoint = await api.createEndpoint({ ...QUEUE, flashboot: 'FLASHBOOT', workers });
      const first = await api.runSync(endpoint, { do: 'echo', value: 'first' });
      assert.equal(first.status, 'COMPLETED', first.error);
      const [container] = await containersOf(running(), endpoint.id);
      await eventually('the container is paused', async () => {
        const { State: state } = await running().api.json<{ State: { Status: string } }>({
          path: `/v1.41/containers/${container}/json`,
        });
        return state.Status === 'paused';
      });
      const second = await api.runSync(endpoint, { do: 'echo', value: 'second' });
      assert.deepEqual([second.output, second.workerId], ['second', first.workerId]);
      assert.deepEqual(await containersOf(running(), endpoint.id), [container]);
    });

    it('reports an image whose program is missing with the reason', async () => {
      const { api } = await platform();
      const endpoint = await api.createEndpoint({
        ...QUEUE,
        cmd: ['x'],
        entrypoint: ['/no/program'],
        workers: { min: 1, max: 1 },
      });
      const [worker] = await eventually('there is a worker', async () => {
        const found = await api.workers(endpoint);
        return found.length > 0 && found;
      });
      const isReason = ({ line }: { line: string }): boolean => line.includes('command not found: /no/program');
      await api.logsUntil(endpoint, worker?.id ?? '', isReason);
    });
  });
});

async function containersOf({ api }: TestEngine, endpointId: string): Promise<string[]> {
  const query = { all: true, filters: JSON.stringify({ label: [`cloud-compute.endpoint=${endpointId}`] }) };
  const found = await api.json<{ Id: string }[]>({ path: '/v1.41/containers/json', query });
  return found.map(({ Id: id }) => id);
}
