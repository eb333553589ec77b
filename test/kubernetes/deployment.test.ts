import assert from 'node:assert/strict';
import { chown, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { USER_ID } from '../../scripts/image/imageConfig.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { IDEMPOTENCY_KEY_HEADER } from '../../src/contract/job.ts';
import { operations } from '../../src/contract/operations.ts';
import { withS3Key } from '../../src/platform/accounts/s3Keys.ts';
import { newToken } from '../../src/platform/ids.ts';
import { ask, COUNTING_ENDPOINT, COUNTING_SERVER, startCallers } from '../engines/callers.ts';
import { NODE_IMAGE } from '../engines/images.ts';
import { assertChargedOnce, keepEndedUsage } from '../faults/killedPlatform.ts';
import { afterwards, Api, cleanUp, dataDirectory, eventually } from '../platform/support.ts';
import { lacksStorage } from './bareCluster.ts';
import { kubectl } from './kubectl.ts';
import { NAME, needsDeployment, TeamNamespace } from './teamNamespace.ts';

/** Takes jobs after LOAD_MS ms, and returns their value and its number of jobs once their time is over. */
const WORKER = `
const { LOAD_MS: loadMs = '0' } = process.env;
const { RUNPOD_WEBHOOK_GET_JOB: take, RUNPOD_WEBHOOK_POST_OUTPUT: done, RUNPOD_AI_API_KEY: key } = process.env;
const headers = { Authorization: key };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
process.on('SIGTERM', () => process.exit(0));
/** Sends a request until the platform answers it. */
async function send(url, init) {
  for (;;) {
    try {
      const response = await fetch(url, { ...init, headers });
      const text = await response.text();
      if (response.status < 500) return { status: response.status, text };
    } catch {}
    await pause(100);
  }
}
(async () => {
  await pause(Number(loadMs));
  for (let jobs = 0; ; ) {
    const { status, text } = await send(take + '&job_in_progress=0');
    if (status !== 200) continue;
    jobs++;
    const { id, input } = JSON.parse(text);
    await pause(input.ms);
    const body = JSON.stringify({ output: { value: input.value, jobs } });
    await send(done.replace('$ID', id) + '&isStream=false', { method: 'POST', body });
  }
})();
`;

const MODEL_LOAD = process.env['CLOUD_COMPUTE_MODEL_LOAD_MS'];
/** Time that a worker takes to load its model, in ms. */
const MODEL_LOAD_MS = Number(MODEL_LOAD ?? 3_000);

describe('The deployment on a cluster', function () {
  this.timeout(300_000);
  needsDeployment();

  const team = new TeamNamespace();
  let owner: Api;
  let member: Api;
  let endpoint: Endpoint | undefined;

  before(async () => {
    await team.deploy(await dataDirectory());
    owner = apiAt(await team.ready(), await keyOfOwner(team));
  });
  afterEach(async () => {
    if (endpoint) await member.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    endpoint = undefined;
  });
  after(async () => {
    await team.remove();
    await cleanUp();
  });

  it('creates a key for its owner, which only a file on the volume contains', async () => {
    assert.match(owner.addresses.apiKey, /^\S{16,}$/);
    const log = await team.kubectl(['logs', `deployment/${NAME}`]);
    assert.match(log, /platform started/);
    assert.ok(!log.includes(owner.addresses.apiKey));
  });

  it('runs the job of a member of a team in a pod of its namespace', async () => {
    const { id: userId } = await owner.call(controlOperations.createUser, { body: { name: 'Ada' } });
    const { id: ownerId } = await owner.call(controlOperations.createUser, { body: { name: 'Grace' } });
    const { id: teamId } = await owner.call(controlOperations.createTeam, { body: { name: 'Vision', ownerId } });
    await owner.call(controlOperations.addTeamMember, { parameters: { teamId, userId } });
    const { key } = await owner.call(controlOperations.createApiKey, { body: { name: 'Ada', accountId: teamId } });
    member = apiAt(owner.addresses.baseUrl, key);
    endpoint = await createEndpoint();
    const { id } = await member.run(endpoint, { value: 1, ms: 0 });
    const { output } = await member.jobWithStatus(endpoint, id, 'COMPLETED', 90_000);
    assert.deepEqual(output, { value: 1, jobs: 1 });
    assert.equal((await team.workerPods()).length, 1);
    await member.refused(401, controlOperations.listAccounts);
  });

  for (const [how, stop] of [
    ['a restart', () => team.kubectl(['rollout', 'restart', `deployment/${NAME}`])],
    ['a crash', () => team.kill()],
  ] as const)
    it(`keeps a worker and its running job over ${how} of the platform`, async () => {
      endpoint = await createEndpoint();
      const { id } = await member.run(endpoint, { value: 2, ms: 10_000 });
      const { workerId } = await member.jobWithStatus(endpoint, id, 'IN_PROGRESS', 90_000);
      const { id: waiting } = await member.run(endpoint, { value: 3, ms: 0 });
      const pods = await team.workerPods();
      await stop();
      member = apiAt(await team.ready(), member.addresses.apiKey);
      assert.equal(await keyOfOwner(team), owner.addresses.apiKey, 'the key is the same');
      const ended = await member.jobWithStatus(endpoint, id, 'COMPLETED', 60_000);
      assert.deepEqual([ended.output, ended.workerId], [{ value: 2, jobs: 1 }, workerId]);
      const next = await member.jobWithStatus(endpoint, waiting, 'COMPLETED', 30_000);
      assert.deepEqual([next.output, next.workerId], [{ value: 3, jobs: 2 }, workerId]);
      assert.deepEqual(await team.workerPods(), pods);
    });

  it('has no right outside its pods and the secrets that it creates', async () => {
    const account = `--as=system:serviceaccount:${team.name}:${NAME}`;
    const refused = async (...args: readonly string[]): Promise<void> => {
      await assert.rejects(kubectl([account, ...args]), /Forbidden|forbidden/, args.join(' '));
    };
    await kubectl([account, '--namespace', team.name, 'get', 'pods']);
    await refused('--namespace', team.name, 'get', 'secrets');
    await refused('--namespace', team.name, 'get', 'configmaps');
    await refused('--namespace', team.name, 'delete', 'deployment', NAME);
    await refused('--namespace', 'default', 'get', 'pods');
    await refused('--namespace', 'default', 'create', 'secret', 'generic', 'other');
    await refused('get', 'nodes');
  });

  /** Creates an endpoint of the member with one worker. */
  async function createEndpoint(): Promise<Endpoint> {
    return member.createEndpoint({
      image: NODE_IMAGE,
      ...{ entrypoint: ['/usr/bin/node'], cmd: ['-e', WORKER], workers: { min: 1, max: 1 } },
    });
  }
});

describe('An upgrade of the deployment', function () {
  this.timeout(MODEL_LOAD_MS + 420_000);
  needsDeployment();
  afterEach(cleanUp);

  it('loses, doubles, and charges nothing twice under load, and reloads no model', async () => {
    const team = new TeamNamespace();
    afterwards(() => team.remove());
    const directory = await dataDirectory();
    const database = (await lacksStorage()) ? await databaseIn(directory) : undefined;
    await team.deploy(directory);
    const api = apiAt(await team.ready(), await keyOfOwner(team));
    const worker = {
      ...{ image: NODE_IMAGE, entrypoint: ['/usr/bin/node'], workers: { min: 1, max: 1 } },
      env: { LOAD_MS: String(MODEL_LOAD_MS) },
    };
    const queue = await api.createEndpoint({ ...worker, cmd: ['-e', WORKER] });
    const server = await api.createEndpoint({ ...worker, ...COUNTING_ENDPOINT, cmd: ['-e', COUNTING_SERVER] });
    const workers = async () => (await Promise.all([queue, server].map((one) => api.workers(one)))).flat();
    await eventually(
      'the models are loaded',
      async () => (await workers()).filter(({ status }) => status === 'IDLE').length === 2,
      MODEL_LOAD_MS + 120_000,
    );
    const ids = (await workers()).map(({ id }) => id);
    const pods = await team.workerPods();

    const callers = startCallers((pathName) => ask(api, server, pathName));
    const jobs = submitJobs(api, queue);
    await Promise.all([callers.areAnswered(), jobs.areAccepted()]);
    const slow = callers.askSlowly();
    const began = Date.now();
    await Promise.all([team.upgrade(), slow]);
    const seconds = Math.round((Date.now() - began) / 1_000);
    await Promise.all([callers.areAnswered(), jobs.areAccepted()]);
    const counts = await callers.end();
    const accepted = await jobs.end();

    const ended = await Promise.all(accepted.map((id) => api.jobWithStatus(queue, id, 'COMPLETED', 120_000)));
    const runs = ended.map(({ output }) => (output as { jobs: number }).jobs);
    assert.deepEqual(
      runs.toSorted((left, right) => left - right),
      accepted.map((_, index) => index + 1),
      'one process has run each job once',
    );
    assert.deepEqual(
      (await workers()).map(({ id }) => id),
      ids,
    );
    assert.deepEqual(await team.workerPods(), pods);
    await api.call(operations.deleteEndpoint, { parameters: { id: server.id } });
    if (database) assert.equal(await assertChargedOnce(api, queue, database, [], () => team.stop()), ids.length);
    else await api.call(operations.deleteEndpoint, { parameters: { id: queue.id } });
    await eventually('no pod is left', async () => (await team.workerPods()).length === 0);
    if (MODEL_LOAD !== undefined) print({ ...counts, jobs: accepted.length, 'seconds of upgrade': seconds });
  });
});

function print(counts: Readonly<Record<string, number>>): void {
  const texts = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  process.stdout.write(`${texts.join(', ')}\n`);
}

/** Creates the database of the platform in a volume. It records which usage has ended. */
async function databaseIn(volume: string): Promise<string> {
  const directory = path.join(volume, 'platform');
  await mkdir(directory, { mode: 0o700 });
  const database = path.join(directory, 'platform.sqlite');
  keepEndedUsage(database);
  for (const file of [directory, ...(await readdir(directory)).map((name) => path.join(directory, name))])
    await chown(file, USER_ID, USER_ID);
  return database;
}

/** Pause between two jobs, in ms. A worker is faster. */
const SUBMIT_MS = 20;
/** Number of jobs before and after an upgrade. */
const JOBS = 100;

/** Submits jobs until `end`, which resolves with their IDs. Repeats each submission until it is answered. */
function submitJobs(api: Api, { id: endpointId }: Endpoint) {
  const accepted: string[] = [];
  const over = new AbortController();
  const submit = async (): Promise<void> => {
    const body = { input: { value: accepted.length, ms: 10 } };
    const headers = { [IDEMPOTENCY_KEY_HEADER]: newToken() };
    for (;;) {
      try {
        const { id } = await api.call(operations.runJob, { parameters: { endpointId }, body, headers });
        accepted.push(id);
        return;
      } catch (error) {
        // A refusal is a failure. A missing response is expected.
        if (error instanceof assert.AssertionError) throw error;
        await new Promise((resolve) => setTimeout(resolve, SUBMIT_MS));
      }
    }
  };
  const submitting = (async () => {
    while (!over.signal.aborted) {
      await submit();
      await new Promise((resolve) => setTimeout(resolve, SUBMIT_MS));
    }
  })();
  return {
    /** Resolves once more jobs are accepted. */
    areAccepted: async (): Promise<void> => {
      const before = accepted.length;
      await eventually('jobs are accepted', () => accepted.length >= before + JOBS, 120_000);
    },
    end: async (): Promise<readonly string[]> => {
      over.abort();
      await submitting;
      return accepted;
    },
  };
}

/** Reads the key as docs/team.md describes it. */
async function keyOfOwner(team: TeamNamespace): Promise<string> {
  const script = 'fs.readFileSync("/data/platform/api-key", "utf8").trim()';
  return (await team.kubectl(['exec', `deployment/${NAME}`, '--', 'node', '-p', script])).trim();
}

function apiAt(origin: string, apiKey: string): Api {
  const addresses = { baseUrl: origin, restUrl: origin, queueUrl: `${origin}/queue/v2` };
  const about = withS3Key({ apiKey, pid: 0, dataDir: null });
  return new Api({ ...addresses, endpointHost: `${origin}/endpoints/{endpoint_id}`, s3Url: origin, ...about });
}
