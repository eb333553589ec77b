import assert from 'node:assert/strict';
import path from 'node:path';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { buildImage, NODE_IMAGE } from '../engines/images.ts';
import { cleanUp, dataDirectory, eventually, platformForTest } from '../platform/support.ts';
import { assertChargedOnce, keepEndedUsage } from '../faults/killedPlatform.ts';
import { ended } from '../faults/support.ts';
import { cluster, needsCluster, nodeCommand, nodeEngines } from './cluster.ts';

const WORKER_IMAGE = 'cloud-compute-test/worker:1';
const JOBS = 100;
/** A node of the test cluster has room for one worker, and one of its three nodes is lost. */
const WORKERS = 2;

interface PodOfWorker {
  readonly metadata: { readonly labels: Record<string, string>; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
}

/** Takes jobs, and returns their value and the ID of the worker. Like an SDK, it repeats a result that was not received. */
const WORKER = `
const TRIES = 10;
const { RUNPOD_WEBHOOK_GET_JOB: take, RUNPOD_WEBHOOK_POST_OUTPUT: done, RUNPOD_POD_ID: worker, RUNPOD_AI_API_KEY: key } = process.env;
const headers = { Authorization: key };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
process.on('SIGTERM', () => process.exit(0));
async function deliver(url, body) {
  for (let tries = 1; ; tries++) {
    try {
      const response = await fetch(url, { method: 'POST', headers, body });
      await response.arrayBuffer();
      if (response.ok || response.status === 401 || response.status === 404) return;
      console.log('the result was refused with status ' + response.status);
    } catch (error) {
      console.log('the result was not received: ' + (error.cause?.code ?? error.message));
    }
    if (tries === TRIES) return;
    await pause(100 * tries);
  }
}
for (;;) {
  try {
    const response = await fetch(take + '&job_in_progress=0', { headers });
    if (response.status !== 200) { await response.arrayBuffer(); continue; }
    const job = await response.json();
    console.log('job ' + job.input.value);
    await pause(job.input.ms);
    const output = { value: job.input.value, worker };
    await deliver(done.replace('$ID', job.id) + '&isStream=false', JSON.stringify({ output }));
  } catch (error) {
    console.log('no job was received: ' + (error.cause?.code ?? error.message));
    await pause(100);
  }
}
`;

/** Serves its port, and its health on the same one. */
const SERVER = `
require('node:http').createServer((request, response) => response.end(request.url + ' from ' + process.env.RUNPOD_POD_ID))
  .listen(process.env.PORT);
`;

describe('The platform on a cluster', () => {
  needsCluster();
  afterEach(cleanUp);

  before(async function () {
    this.timeout(120_000);
    const engines = nodeEngines();
    if (engines.length === 0) this.skip();
    await Promise.all(
      engines.map((engine) => buildImage(engine, WORKER_IMAGE, { files: { 'app/worker.mjs': WORKER } })),
    );
  });

  const start = (dataDir?: string) =>
    platformForTest({
      dataDir,
      graceMs: 1_000,
      engine: { runtime: 'kubernetes', kubeNodeImages: true },
      maxWorkers: 4 * WORKERS,
    });

  const queueEndpoint = (changes: Partial<CreateEndpointBody> = {}): Partial<CreateEndpointBody> => ({
    image: WORKER_IMAGE,
    ...{ entrypoint: ['/usr/bin/node'], cmd: ['/app/worker.mjs'] },
    cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    workers: { min: WORKERS, max: WORKERS },
    ...changes,
  });

  const podsOf = async ({ id }: Endpoint): Promise<PodOfWorker[]> => {
    const query = { labelSelector: `cloud-compute/endpoint=${id}` };
    return (await cluster<{ items: PodOfWorker[] }>('/api/v1/namespaces/default/pods', { query })).items;
  };

  it('runs jobs in pods, keeps their logs, and ends the pods', async function () {
    this.timeout(120_000);
    const { api } = await start();
    const endpoint = await api.createEndpoint(queueEndpoint({ workers: { min: 1, max: 1 } }));
    const { id } = await api.run(endpoint, { value: 7, ms: 0 });
    const job = await ended(api, endpoint, id, 60_000);
    assert.deepEqual([job.status, (job.output as { value: number }).value], ['COMPLETED', 7]);
    const [worker] = await api.workers(endpoint);
    assert.ok(worker);
    const events = await api.logsUntil(endpoint, worker.id, ({ line }) => line === 'job 7');
    assert.ok(events.some(({ line }) => /^pod worker-\w+ started$/.test(line)));
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    await eventually('no pod is left', async () => (await podsOf(endpoint)).length === 0, 60_000);
  });

  it('answers requests to a load-balanced image', async function () {
    this.timeout(120_000);
    const { api } = await start();
    const endpoint = await api.createEndpoint(
      queueEndpoint({
        type: 'LOAD_BALANCER',
        scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
        image: NODE_IMAGE,
        cmd: ['-e', SERVER],
        workers: { min: 1, max: 1 },
      }),
    );
    await api.worker(endpoint, 'IDLE').catch(() => undefined);
    const url = api.addresses.endpointHost.replace('{endpoint_id}', endpoint.id);
    const text = await eventually(
      'the worker answers',
      async () => {
        const response = await fetch(`${url}/hello`, { headers: { Authorization: `Bearer ${api.addresses.apiKey}` } });
        return response.ok && response.text();
      },
      60_000,
    );
    assert.match(text, /^\/hello from \w+/);
  });

  it('completes every job once, and charges each process once, although a node is lost under load', async function () {
    if (!process.env['CLOUD_COMPUTE_LOSE_NODE'] || !process.env['CLOUD_COMPUTE_RECOVER_NODE']) this.skip();
    this.timeout(360_000);
    const dataDir = await dataDirectory();
    const database = path.join(dataDir, 'platform.sqlite');
    keepEndedUsage(database);
    const { api, platform } = await start(dataDir);
    const endpoint = await api.createEndpoint(queueEndpoint());
    const placed = await eventually(
      'all workers have a node',
      async () => {
        const pods = await podsOf(endpoint);
        return pods.length === WORKERS && pods.every(({ spec }) => spec.nodeName) && pods;
      },
      60_000,
    );
    const submitted = await Promise.all(
      Array.from({ length: JOBS }, (_, value) => api.run(endpoint, { value, ms: 400 })),
    );
    await eventually(
      'jobs run',
      async () =>
        (await Promise.all(submitted.slice(0, 6).map(({ id }) => api.job(endpoint, id)))).some(
          ({ status }) => status === 'COMPLETED',
        ),
      60_000,
    );
    const lost = placed[0]?.spec.nodeName ?? '';
    await nodeCommand('CLOUD_COMPUTE_LOSE_NODE', lost);
    let replaced: string[] = [];
    try {
      const lostWorkers = placed
        .filter(({ spec }) => spec.nodeName === lost)
        .map(({ metadata }) => metadata.labels['cloud-compute/run']);
      replaced = await eventually(
        'the lost workers are replaced on other nodes',
        async () => {
          const pods = (await podsOf(endpoint)).filter(
            ({ metadata, spec }) =>
              !lostWorkers.includes(metadata.labels['cloud-compute/run']) && spec.nodeName !== undefined,
          );
          const nodes = pods.map(({ spec }) => spec.nodeName ?? '');
          return nodes.length >= WORKERS && nodes;
        },
        120_000,
      );
      for (const [value, { id }] of submitted.entries()) {
        const job = await ended(api, endpoint, id, 120_000);
        const { value: own } = (job.output ?? {}) as { value?: number };
        assert.deepEqual([job.status, own], ['COMPLETED', value], JSON.stringify(job));
      }
    } finally {
      await nodeCommand('CLOUD_COMPUTE_RECOVER_NODE', lost);
    }
    assert.ok(!replaced.includes(lost));
    const charged = await assertChargedOnce(api, endpoint, database, [], () => platform.close());
    assert.ok(charged >= WORKERS, 'too few processes were charged');
    await eventually('no pod is left', async () => (await podsOf(endpoint)).length === 0, 90_000);
  });
});
