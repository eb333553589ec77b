import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { keepEndedUsage } from '../faults/killedPlatform.ts';
import { kills, launchBuilt, printCounts, readEffects } from '../faults/support.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { cleanUp, dataDirectory, eventually, type Api } from '../platform/support.ts';
import { completeLines } from '../support/completeLines.ts';
import { seed, withSeed } from '../support/seed.ts';
import { ask, COUNTING_ENDPOINT, COUNTING_SERVER, startCallers } from './callers.ts';
import { buildImage } from './images.ts';
import { onEngines, type TestEngine } from './world.ts';

const IMAGE = 'cloud-compute-test/lasting:1';
const SERVER_IMAGE = 'cloud-compute-test/lasting-server:1';
const API_KEY = 'adoption';
const KILLS = kills(50, 5);
/** Maximum time until a kill, in ms. */
const MAX_PAUSE_MS = 1_500;
/** Longer than the restart of the platform. */
const LONG_LOAD_MS = 5_000;
const SERVER_ENDPOINT: Partial<CreateEndpointBody> = { ...COUNTING_ENDPOINT, image: SERVER_IMAGE, cmd: undefined };

describe('Containers of a platform that is killed', () => {
  afterEach(cleanUp);

  onEngines(({ name, running }) => {
    before(async function () {
      const { api } = running();
      const worker = await readFile(path.join(import.meta.dirname, 'fixtures/lasting.mjs'), 'utf8');
      await buildImage(api, IMAGE, { files: { 'app/worker.mjs': worker }, instructions: ['CMD ["worker.mjs"]'] });
      await buildImage(api, SERVER_IMAGE, {
        files: { 'app/server.js': COUNTING_SERVER },
        instructions: ['CMD ["server.js"]'],
      });
    });

    it('finish the job that they have', async () => {
      const world = await startWorld(running());
      const { id } = await world.run({ until: 'go' });
      const worker = await world.worker('RUNNING');
      await world.kill();
      await world.start();
      assert.equal((await world.worker('RUNNING')).id, worker.id);
      await world.create('go');
      await world.assertDelivered(id, worker.id);
      await world.assertSound({ containers: 1 });
    });

    it('deliver a result that they posted in the meantime', async () => {
      const world = await startWorld(running());
      const { id } = await world.run({ until: 'go' });
      const worker = await world.worker('RUNNING');
      await world.create('go');
      await world.kill();
      await world.start();
      await world.assertDelivered(id, worker.id);
      await world.assertSound({ containers: 1 });
    });

    it('continue the stream of a job', async () => {
      const world = await startWorld(running());
      const chunks = [{ value: 'first' }, { value: 'second', until: 'go' }, { value: 'third' }];
      const { id } = await world.run({ chunks });
      const worker = await world.worker('RUNNING');
      const read = async (): Promise<unknown[]> => {
        const parameters = { endpointId: world.endpoint().id, jobId: id };
        const { stream } = await world.api().call(operations.streamJob, { parameters });
        return stream.map(({ output }) => output);
      };
      assert.deepEqual(await read(), ['first']);
      await world.kill();
      await world.start();
      await world.create('go');
      await world.assertDelivered(id, worker.id);
      const rest = await read();
      // The platform was killed before it knew that the first chunk had arrived.
      assert.deepEqual(rest[0] === 'first' ? rest.slice(1) : rest, ['second', 'third']);
      await world.assertSound({ containers: 1 });
    });

    it('take the next job if they were idle', async () => {
      const world = await startWorld(running());
      const worker = await world.worker('IDLE');
      await world.kill();
      await world.start();
      assert.equal((await world.worker('IDLE')).id, worker.id);
      const { id } = await world.run({});
      await world.assertDelivered(id, worker.id);
      await world.assertSound({ containers: 1 });
    });

    it('continue to load, and then take the job that waits', async () => {
      const world = await startWorld(running(), { env: { LOAD_MS: String(LONG_LOAD_MS) } });
      const { id } = await world.run({});
      await eventually('the container has printed', async () => (await world.lines()).length > 0);
      const [worker] = await world.api().workers(world.endpoint());
      await world.kill();
      await world.start();
      await world.assertDelivered(id, worker?.id);
      await world.assertSound({ containers: 1 });
    });

    it('run a job again that they dropped while the platform was down, which does not count as the loss of a worker', async () => {
      const world = await startWorld(running());
      const { id } = await world.run({ forget: 'go' });
      for (let attempt = 1; attempt <= 2; attempt++) {
        await world.worker('RUNNING');
        await world.kill();
        await world.start();
      }
      await world.worker('RUNNING');
      await world.kill();
      await world.create('go');
      await eventually('the job is dropped', async () => (await world.effects()).includes(`dropped ${id}`));
      await world.start();
      await world.assertCompleted(id);
      await world.assertSound({ containers: 1 });
      const [job] = world.stored('SELECT lost_workers, retries FROM jobs');
      assert.deepEqual({ ...(job as object) }, { lost_workers: 0, retries: 1 });
    });

    it('have the rest of the execution timeout for the job that they have', async () => {
      const world = await startWorld(running());
      const { id } = await world.run({ until: 'never' }, { policy: { executionTimeout: 5_000 } });
      await world.worker('RUNNING');
      await world.kill();
      await world.start();
      await world.api().jobWithStatus(world.endpoint(), id, 'TIMED_OUT');
      const next = await world.run({});
      await world.assertCompleted(next.id);
      await world.stop();
      assert.deepEqual(await world.leftovers(), { containers: 0, networks: 0 });
    });

    it('are replaced if they had failed, and the job runs again', async () => {
      const world = await startWorld(running());
      await world.worker('IDLE');
      const { id } = await world.run({ crash: 'fixed' });
      await world.worker('UNHEALTHY');
      await world.kill();
      await world.create('fixed');
      await world.start();
      await world.assertCompleted(id);
      await world.stop();
      assert.deepEqual(await world.leftovers(), { containers: 0, networks: 0 });
    });

    it('stay on standby, which costs nothing, and resume for the next job', async () => {
      const workers = { min: 0, max: 1, idleTimeout: 1 };
      const world = await startWorld(running(), { flashboot: 'FLASHBOOT', workers });
      const first = await world.run({});
      const { workerId } = await world.assertCompleted(first.id);
      const containers = await world.containers();
      const isPaused = async (): Promise<boolean> => (await world.stateOf(containers[0])) === 'paused';
      await eventually('the container is paused', isPaused);
      await world.kill();
      await world.start();
      await eventually(
        'the worker is on standby',
        async () => (await world.api().workers(world.endpoint())).length === 0,
      );
      assert.ok(await isPaused());
      const { id } = await world.run({});
      await world.assertDelivered(id, workerId);
      assert.deepEqual(await world.containers(), containers);
      await world.stop();
      const usage = world.stored(
        "SELECT * FROM ended_usage WHERE kind = 'serverlessCpu' ORDER BY started_at",
      ) as Usage[];
      const [before, after] = usage;
      assert.ok(before && after && usage.length === 2);
      assert.ok(before.ended_at < after.started_at);
    });

    it('are found once their engine is back, which was killed together with the platform', async function () {
      const { power } = running();
      if (!power) this.skip();
      const world = await startWorld(running());
      const { id } = await world.run({ until: 'go' });
      const worker = await world.worker('RUNNING');
      await world.kill();
      await power.kill();
      try {
        await world.start();
        assert.equal((await world.worker('UNHEALTHY')).id, worker.id);
      } finally {
        await power.start();
      }
      await world.create('go');
      await world.assertDelivered(id, worker.id);
      await world.assertSound({ containers: 1 });
    });

    it('serve the requests of a load-balanced endpoint', async () => {
      const world = await startWorld(running(), SERVER_ENDPOINT);
      const worker = await world.worker('IDLE');
      assert.equal(await world.ask(), 'request 1');
      await world.kill();
      await world.start();
      assert.equal((await world.worker('IDLE')).id, worker.id);
      assert.equal(await world.ask(), 'request 2');
      await world.stop();
      assert.deepEqual(await world.leftovers(), { containers: 0, networks: 0 });
    });

    it('are adopted in an upgrade with the model that they have loaded, which callers notice only as a lost connection', async function () {
      this.timeout(LONG_LOAD_MS + 120_000);
      const env = { LOAD_MS: String(LONG_LOAD_MS) };
      const world = await startWorld(running(), { ...SERVER_ENDPOINT, env }, ['--keep-workers']);
      const worker = await world.worker('IDLE');
      const { port } = new URL(world.api().addresses.baseUrl);
      const callers = startCallers((pathName) => world.ask(pathName));
      await callers.areAnswered();
      const slow = callers.askSlowly();
      await callers.areAnswered();
      await world.stop();
      await slow;
      await world.start(['--keep-workers', '--port', port]);
      await callers.areAnswered();
      await callers.end();
      assert.equal((await world.worker('IDLE')).id, worker.id);
      await world.stop();
      await world.start([]);
      await world.stop();
      assert.deepEqual(await world.leftovers(), { containers: 0, networks: 0 });
    });

    it(`lose and double nothing over ${KILLS} kills under load`, async function () {
      this.timeout(KILLS * 10_000 + 120_000);
      await withSeed(async () => {
        const random = seededRandom(seed);
        const world = await startWorld(running(), { workers: { min: 2, max: 2 } });
        await eventually('both workers are idle', async () =>
          (await world.api().workers(world.endpoint())).every(({ status }) => status === 'IDLE'),
        );
        const workerIds = (await world.api().workers(world.endpoint())).map(({ id }) => id).toSorted();
        const accepted: string[] = [];
        const began = Date.now();
        for (let kill = 0; kill < KILLS; kill++) {
          const isKilled = new AbortController();
          const load = world.submitUntil(isKilled.signal, accepted);
          await new Promise((resolve) => setTimeout(resolve, random() * MAX_PAUSE_MS));
          await world.kill();
          isKilled.abort();
          await load;
          await world.start();
        }
        for (const id of accepted) await world.assertCompleted(id);
        const now = await world.api().workers(world.endpoint());
        assert.deepEqual(now.map(({ id }) => id).toSorted(), workerIds, 'the workers outlive every kill');
        await world.assertOnce(accepted);
        await world.assertSound({ containers: 2 });
        const seconds = Math.round((Date.now() - began) / 1_000);
        printCounts(`${name}, adopted`, { jobs: accepted.length, kills: KILLS, seconds });
      });
    });

    it('are replaced if they belong to an earlier version of the endpoint, and the job runs again', async () => {
      const world = await startWorld(running());
      const { id } = await world.run({ until: 'go' });
      const worker = await world.worker('RUNNING');
      const parameters = { id: world.endpoint().id };
      await world.api().call(operations.updateEndpoint, { parameters, body: { env: { NEW: 'yes' } } });
      await world.kill();
      await world.start();
      await world.create('go');
      const job = await world.assertCompleted(id);
      assert.notEqual(job.workerId, worker.id);
      await world.stop();
      assert.deepEqual(await world.leftovers(), { containers: 0, networks: 0 });
    });

    it('are replaced if another program has the port at which they find the platform', async () => {
      const world = await startWorld(running());
      await world.worker('IDLE');
      await world.kill();
      const [gate] = world.stored('SELECT address, port FROM gate_ports') as { address: string; port: number }[];
      assert.ok(gate);
      const { createServer } = await import('node:http');
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(gate.port, gate.address, resolve));
      try {
        await world.start();
        const { id } = await world.run({});
        await world.assertCompleted(id);
        assert.match(world.log(), /another program uses the port/);
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
      await world.stop();
      assert.deepEqual(await world.leftovers(), { containers: 0, networks: 0 });
    });

    it('accept no request with their token from another address', async () => {
      const world = await startWorld(running());
      await world.worker('IDLE');
      await world.kill();
      const [run] = world.stored('SELECT claim FROM runs') as { claim: string }[];
      await world.start();
      const [container] = await world.containers();
      const { Config: config } = await running().api.json<{ Config: { Env: string[] } }>({
        path: `/v1.41/containers/${container}/json`,
      });
      const variable = (name: string): string =>
        config.Env.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
      const headers = { Authorization: variable('RUNPOD_AI_API_KEY') };
      assert.ok(run && !run.claim.includes(headers.Authorization), 'the stored token is encrypted');
      const url = variable('RUNPOD_WEBHOOK_PING');
      await eventually('the platform listens', async () => {
        const response = await fetch(url, { headers }).catch(() => undefined);
        return response?.status === 401;
      });
      await world.stop();
    });

    it('run on after a regular stop with --keep-workers, and end with one without', async () => {
      const world = await startWorld(running(), {}, ['--keep-workers']);
      const { id } = await world.run({ until: 'go' });
      const worker = await world.worker('RUNNING');
      const containers = await world.containers();
      await world.stop();
      assert.deepEqual(await world.containers(), containers);
      await world.create('go');
      await world.start([]);
      await world.assertDelivered(id, worker.id);
      await world.assertSound({ containers: 1 });
    });
  });
});

interface JobInputs {
  readonly until?: string;
  readonly crash?: string;
  readonly forget?: string;
  readonly chunks?: readonly { readonly value: string; readonly until?: string }[];
}

/** Starts a platform with one endpoint on an engine, which only this test uses in the meantime. */
async function startWorld(
  engine: TestEngine,
  changes: Partial<CreateEndpointBody> = {},
  flags: readonly string[] = [],
) {
  const dataDir = await dataDirectory();
  const args = ['--json', '--data-dir', dataDir, '--api-key', API_KEY, '--container-engine', engine.address];
  const databaseFile = path.join(dataDir, 'platform.sqlite');
  keepEndedUsage(databaseFile);
  let platform = await launchBuilt([...args, ...flags]);
  let api = await platform.api();
  const volume = await api.call(operations.createNetworkVolume, {
    body: { name: 'files', size: 10, dataCenter: 'EU-RO-1' },
  });
  const files = path.join(dataDir, 'volumes', volume.id);
  const endpoint: Endpoint = await api.createEndpoint({
    ...{ image: IMAGE, cmd: undefined, workers: { min: 1, max: 1 } },
    mounts: { network: [{ volumeId: volume.id, path: '/data' }] },
    ...changes,
  });
  const count = async (pathName: string): Promise<string[]> => {
    const query = { all: true, filters: JSON.stringify({ label: ['cloud-compute.owner'] }) };
    const found = await engine.api.json<{ Id: string }[]>({ path: `/v1.41/${pathName}`, query });
    return found.map(({ Id: id }) => id);
  };
  const world = {
    api: (): Api => api,
    endpoint: () => endpoint,
    log: () => platform.stderr(),
    run: (input: JobInputs, rest: object = {}) => api.run(endpoint, { ...input }, rest),
    worker: (status: string) => api.worker(endpoint, status),
    ask: (pathName?: string) => ask(api, endpoint, pathName),
    create: (name: string) => writeFile(path.join(files, name), ''),
    /** Returns what the workers have noted: each attempt, each acknowledged result, and each dropped job. */
    effects: () => completeLines(path.join(files, 'effects')),
    kill: async (): Promise<void> => {
      platform.kill('SIGKILL');
      await platform.exit;
    },
    start: async (given = flags): Promise<void> => {
      platform = await launchBuilt([...args, ...given]);
      api = await platform.api();
    },
    stop: async (): Promise<void> => {
      platform.kill('SIGTERM');
      assert.equal((await platform.exit).code, 0);
    },
    containers: () => count('containers/json'),
    stateOf: async (container: string | undefined): Promise<string> => {
      const found = await engine.api.json<{ State: { Status: string } }>({
        path: `/v1.41/containers/${container}/json`,
      });
      return found.State.Status;
    },
    leftovers: async () => ({
      containers: (await count('containers/json')).length,
      networks: (await count('networks')).length,
    }),
    /** Reads the database of the platform, which has ended. */
    stored: (query: string): unknown[] => readDatabase(databaseFile, query),
    /** Returns the lines that the first worker has printed. */
    lines: async (): Promise<string[]> => {
      const [worker] = await api.workers(endpoint);
      if (!worker) return [];
      const query = { source: 'container' };
      const events = await api.logsUntil(endpoint, worker.id, () => true, { query });
      return events.map(({ line }) => line);
    },
    assertCompleted: async (jobId: string) => {
      const job = await api.jobWithStatus(endpoint, jobId, 'COMPLETED', 60_000);
      assert.equal(job.output, `result of ${jobId}`);
      return job;
    },
    /** Submits short jobs until the signal is aborted, and records those that were accepted. */
    submitUntil: async (signal: AbortSignal, accepted: string[]): Promise<void> => {
      while (!signal.aborted) {
        try {
          accepted.push((await api.run(endpoint, {})).id);
        } catch (error) {
          // A platform that is killed does not answer.
          if (error instanceof assert.AssertionError) throw error;
        }
      }
    },
    /** Asserts that each job has run once, and that its result was accepted once. */
    assertOnce: async (jobIds: readonly string[]): Promise<void> => {
      // A worker notes that its result was accepted after the platform has stored it.
      const effects = await eventually('each result is acknowledged', async () => {
        const found = await readEffects(path.join(files, 'effects'));
        return jobIds.every((id) => found.acknowledged.has(id)) && found;
      });
      const counts = jobIds.map((id) => [id, effects.executed.get(id)?.length, effects.acknowledged.get(id)]);
      const others = counts.filter(([, executed, acknowledged]) => executed !== 1 || acknowledged !== 1);
      assert.deepEqual(others, [], 'jobs that ran again, or whose results were accepted again');
    },
    /** Asserts that this worker has run the job once, and that its result was accepted once. */
    assertDelivered: async (jobId: string, workerId: string | undefined): Promise<void> => {
      const job = await world.assertCompleted(jobId);
      assert.equal(job.workerId, workerId);
      const acknowledged = `acknowledged ${jobId}`;
      const lines = await eventually('the result is acknowledged', async () => {
        const found = await world.effects();
        return found.includes(acknowledged) && found;
      });
      const executed = lines.filter((line) => line.startsWith(`executed ${jobId} `));
      assert.deepEqual(
        [executed.length, lines.filter((line) => line === acknowledged).length],
        [1, 1],
        lines.join('\n'),
      );
    },
    /** Stops the platform, and asserts that no line was lost or doubled, that usage has neither gaps nor overlaps, and that nothing is left. */
    assertSound: async ({ containers }: { containers: number }): Promise<void> => {
      const workers = await api.workers(endpoint);
      assert.equal(workers.length, containers);
      await world.stop();
      assert.deepEqual(await world.leftovers(), { containers: 0, networks: 0 });
      for (const { id } of workers) {
        const printed = linesOf(path.join(dataDir, 'logs.sqlite'), id);
        assert.ok(printed.length > 0);
        const expected = printed.map((_, index) => `line ${index + 1}`);
        assert.deepEqual(printed, expected, 'lines are lost or doubled');
      }
      const usage = world.stored(
        "SELECT * FROM ended_usage WHERE kind = 'serverlessCpu' ORDER BY started_at",
      ) as Usage[];
      assert.equal(usage.length, containers, 'each container is charged once, from its start to its end');
      for (const { started_at, ended_at } of usage) assert.ok(ended_at > started_at);
    },
  };
  return world;
}

interface Usage {
  readonly started_at: number;
  readonly ended_at: number;
}

function readDatabase(file: string, query: string): unknown[] {
  const database = new DatabaseSync(file);
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

/** Returns the lines of a container from the store of logs. */
function linesOf(file: string, workerId: string): string[] {
  const blocks = readDatabase(
    file,
    `SELECT CAST(body AS TEXT) AS lines FROM log_blocks WHERE worker_id = '${workerId}' AND source = 'container' ORDER BY first_ts`,
  ) as { lines: string }[];
  return blocks.flatMap(({ lines }) => lines.split('\n'));
}
