import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { operations } from '../../src/contract/operations.ts';
import { startDocker } from '../engines/docker.ts';
import type { EngineProcess } from '../engines/engineProcess.ts';
import { buildImage, importNodeImage } from '../engines/images.ts';
import { installEngines } from '../engines/packages.ts';
import { Api, eventually } from '../platform/support.ts';
import { temporaryFolder } from './children.ts';
import { measureInTurns, report } from './compare.ts';
import { startNode } from './node.ts';

const ROUNDS = 7;
const JOBS = 400;
const LANES = 16;
const IMAGE = 'cloud-compute-bench/worker:1';
const WORKERS = path.join(import.meta.dirname, 'engineWorkers');
const API_VERSION = '/v1.41';

/** Compares workers in containers with the bare engine, with workers on standby, and with workers that are processes. */
export async function run(): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    console.log('  Skipped: a container engine can only be started on Linux as root.');
    return;
  }
  await installEngines();
  const docker = await startDocker();
  try {
    await importNodeImage(docker.api);
    const files = { '/app/worker.mjs': await readFile(path.join(WORKERS, 'worker.mjs'), 'utf8') };
    await buildImage(docker.api, IMAGE, { files });
    await measure(docker);
  } finally {
    await docker.down();
  }
}

async function measure(docker: EngineProcess): Promise<void> {
  const flags = ['--container-engine', `unix://${docker.site.socket}`, '--data-dir', temporaryFolder()];
  const platform = startNode(['dist/platform.js', '--json', '--stop-with-stdin', ...flags]);
  try {
    const api = new Api(PlatformAnnouncement.parse(JSON.parse(await platform.firstLine)));
    await reportFirstJob(api, docker);
    await reportRates(api);
  } finally {
    await platform.stop();
  }
}

/** Measures the time from the creation of an endpoint, and from standby, to the result of the first job. */
async function reportFirstJob(api: Api, docker: EngineProcess): Promise<void> {
  const frozen = await createFrozen(api);
  const times = await measureInTurns(
    {
      bare: () => timeOf(() => bareFirstJob(docker)),
      created: () => firstJob(api),
      resumed: async () => {
        const time = await timeOf(() => complete(api, frozen));
        await standby(api, frozen);
        return time;
      },
    },
    ROUNDS,
  );
  await remove(api, frozen);
  const { bare, created, resumed } = times;
  report({ name: 'create to first job / bare engine', unit: 'ms', ours: created, alternative: bare });
  report({ name: 'resume to first job / new container', unit: 'ms', ours: resumed, alternative: created });
}

/** Measures jobs per second of two workers. */
async function reportRates(api: Api): Promise<void> {
  const workers = { workers: { min: 2, max: 2 } };
  const containers = await create(api, { ...container, ...workers });
  const processes = await create(api, {
    ...{ image: `process:${WORKERS}`, cmd: [process.execPath, 'worker.mjs'] },
    ...workers,
  });
  for (const endpoint of [containers, processes]) {
    await eventually('both workers are ready', async () => {
      const ready = (await api.workers(endpoint)).filter(({ status }) => status === 'IDLE');
      return ready.length === 2;
    });
  }
  const rates = await measureInTurns(
    { containers: () => jobsPerSecond(api, containers), processes: () => jobsPerSecond(api, processes) },
    ROUNDS,
  );
  await Promise.all([containers, processes].map((endpoint) => remove(api, endpoint)));
  const { containers: ours, processes: alternative } = rates;
  report({ name: 'jobs in containers / in processes', unit: 'jobs/s', ours, alternative });
}

const container = { image: IMAGE, cmd: ['worker.mjs'] } satisfies Partial<CreateEndpointBody>;

const create = (api: Api, changes: Partial<CreateEndpointBody>): Promise<Endpoint> => api.createEndpoint(changes);

async function remove(api: Api, { id }: Endpoint): Promise<void> {
  await api.call(operations.deleteEndpoint, { parameters: { id } });
}

async function firstJob(api: Api): Promise<number> {
  let endpoint: Endpoint | undefined;
  const time = await timeOf(async () => {
    endpoint = await create(api, { ...container, workers: { min: 1, max: 1 } });
    await complete(api, endpoint);
  });
  if (endpoint) await remove(api, endpoint);
  return time;
}

/** Creates an endpoint whose worker has completed a job and is on standby. */
async function createFrozen(api: Api): Promise<Endpoint> {
  const endpoint = await create(api, {
    ...container,
    ...{ flashboot: 'FLASHBOOT', workers: { min: 0, max: 1, idleTimeout: 1 } },
  });
  await complete(api, endpoint);
  await standby(api, endpoint);
  return endpoint;
}

/** A worker on standby does not count as a worker. */
async function standby(api: Api, endpoint: Endpoint): Promise<void> {
  await eventually('the worker is on standby', async () => (await api.workers(endpoint)).length === 0);
}

async function complete(api: Api, endpoint: Endpoint): Promise<void> {
  const { id, status } = await api.runSync(endpoint, { value: 1 });
  if (status !== 'COMPLETED') await api.jobWithStatus(endpoint, id, 'COMPLETED');
}

async function jobsPerSecond(api: Api, endpoint: Endpoint): Promise<number> {
  let left = JOBS;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await complete(api, endpoint);
  };
  const ms = await timeOf(async () => {
    await Promise.all(Array.from({ length: LANES }, lane));
  });
  return (JOBS / ms) * 1000;
}

/** Runs the same worker in a container that only the engine manages, until it has returned the result of a job. */
async function bareFirstJob({ api, site }: EngineProcess): Promise<void> {
  const done = Promise.withResolvers<void>();
  const server = createServer((incoming, response) => {
    if (incoming.method === 'GET') response.end(JSON.stringify({ id: 'job', input: { value: 1 } }));
    else incoming.resume().once('end', () => response.end('{}', done.resolve));
  });
  server.listen(0, site.bridge.gateway);
  await once(server, 'listening');
  const url = `http://${site.bridge.gateway}:${(server.address() as AddressInfo).port}`;
  const { Id: id } = await api.json<{ Id: string }>({
    method: 'POST',
    path: `${API_VERSION}/containers/create`,
    body: {
      ...{ Image: IMAGE, Cmd: ['worker.mjs'], HostConfig: { Init: true } },
      Env: [`RUNPOD_WEBHOOK_GET_JOB=${url}/take?`, `RUNPOD_WEBHOOK_POST_OUTPUT=${url}/done`],
    },
  });
  try {
    await api.json({ method: 'POST', path: `${API_VERSION}/containers/${id}/start` });
    await done.promise;
  } finally {
    void api.json({ method: 'DELETE', path: `${API_VERSION}/containers/${id}`, query: { force: true } });
    server.close();
    server.closeAllConnections();
  }
}

async function timeOf(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}
