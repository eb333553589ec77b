import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build, repository } from '../../scripts/editor/build.ts';
import { buildImage } from '../../scripts/image/buildImage.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { NODE_IMAGE } from '../engines/images.ts';
import { Api, cleanUp, dataDirectory } from '../platform/support.ts';
import { needsCluster, nodeEngines } from './cluster.ts';
import { hasKubectl, kubectl } from './kubectl.ts';
import { loadOnNodes, NAME, TeamNamespace } from './teamNamespace.ts';

/** Takes jobs, and returns their value and its number of jobs once their time is over. */
const WORKER = `
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

describe('The deployment on a cluster', function () {
  this.timeout(300_000);
  needsCluster();

  const team = new TeamNamespace();
  let owner: Api;
  let member: Api;
  let endpoint: Endpoint | undefined;

  before(async function () {
    if (nodeEngines().length === 0 || !(await hasKubectl())) this.skip();
    await build();
    const directory = await dataDirectory();
    const { version } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as {
      version: string;
    };
    const output = path.join(directory, 'image.tar');
    const name = `docker.io/library/${NAME}:${version}`;
    await buildImage({ ...{ dist: path.join(repository, 'dist'), node: process.execPath }, name, output });
    await loadOnNodes(output);
    await team.deploy(await dataDirectory());
    owner = apiAt(await team.ready(), await keyOfOwner());
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
      assert.equal(await keyOfOwner(), owner.addresses.apiKey, 'the key is the same');
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

  /** Reads the key as docs/team.md describes it. */
  async function keyOfOwner(): Promise<string> {
    const script = 'fs.readFileSync("/data/platform/api-key", "utf8").trim()';
    return (await team.kubectl(['exec', `deployment/${NAME}`, '--', 'node', '-p', script])).trim();
  }
});

function apiAt(origin: string, apiKey: string): Api {
  const addresses = { baseUrl: origin, restUrl: origin, queueUrl: `${origin}/queue/v2` };
  return new Api({ ...addresses, endpointHost: `${origin}/endpoints/{endpoint_id}`, apiKey, pid: 0, dataDir: null });
}
