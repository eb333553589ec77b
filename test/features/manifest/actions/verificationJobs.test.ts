import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { VerifyPart } from '../../../../src/contract/verification.ts';
import { isDeployed, type DeployedStep } from '../../../../src/features/manifest/actions/deploySteps.ts';
import { deployingSteps } from '../../../../src/features/manifest/model/deployment/deploymentPlan.ts';
import { evidenceOf, verificationWords } from '../../../../src/features/manifest/model/deployment/verification.ts';
import { afterwards, cleanUp } from '../../../platform/support.ts';
import { clientThrough, COMMANDS, deploy, resultsOf, runningManifest } from './deploying.ts';
import { Deployment, filesOf, obstacleOf } from './deployment.ts';

describe('The job of a manifest', () => {
  let deployment: Deployment;

  beforeEach(async () => {
    deployment = await Deployment.start();
  });
  afterEach(cleanUp);

  const SLEEPING = { workers: { min: 0, max: 1 } };
  const echoes = (value: unknown, expected = value): VerifyPart => ({
    input: { do: 'echo', value },
    expect: { output: expected },
  });
  const withJob = (verify: VerifyPart, more: object = SLEEPING, command: readonly string[] = COMMANDS.works) =>
    filesOf({ a: runningManifest('a', command, { 'x-verify': verify, ...more }) });
  const addressOf = (url: string | URL | Request) => new Request(url).url;
  const verificationOf = ([result]: readonly DeployedStep[]) => {
    assert.ok(result && 'verification' in result, result?.outcome);
    return result.verification;
  };
  const jobsOf = async (id: string) => (await deployment.client.getEndpointHealth({ endpointId: id })).jobs;

  for (const [what, more] of [
    ['no worker runs yet', SLEEPING],
    ['a worker is up', { workers: { min: 1, max: 1 } }],
  ] as const)
    it(`passes if ${what}, and is not sent to the platform with the settings`, async () => {
      const states: string[] = [];
      const results = await deploy(deployment, withJob(echoes({ greeting: 'Hello' }), more), {
        onState: (step, { headline }) => states.push(`${step.name}: ${headline}`),
      });
      assert.deepEqual(resultsOf(results), ['a: created passed']);
      assert.ok(results.every(isDeployed));
      assert.ok(states.includes('a: Waiting for the job of x-verify'), states.join());
      const plan = await deployment.plan(withJob(echoes({ greeting: 'Hello' }), more));
      assert.deepEqual(
        plan.parts.map(({ kind }) => kind),
        ['unchanged'],
      );
    });

  it('fails the verification with all differences and the log of the worker', async () => {
    const verification = verificationOf(await deploy(deployment, withJob(echoes({ a: 1, b: 2 }, { a: 2, b: '2' }))));
    assert.ok(verification.outcome === 'unmet', verification.outcome);
    assert.deepEqual(verification.differences, [
      { path: '$.output.a', message: 'expected 2, but it is 1' },
      { path: '$.output.b', message: 'expected "2", but it is the number 2' },
    ]);
    assert.match(
      verificationWords(verification),
      /did not meet its expectations\. \$\.output\.a: expected 2, but it is 1 \(and 1 more\)$/,
    );
    assert.deepEqual(evidenceOf(verification).slice(0, 2), [
      '$.output.a: expected 2, but it is 1',
      '$.output.b: expected "2", but it is the number 2',
    ]);
  });

  it('is taken back with the deployment if it fails', async () => {
    await deploy(deployment, withJob(echoes(1)));
    const worse = withJob(echoes(1, 2), { ...SLEEPING, timeout: 60_000 });
    const results = await deploy(deployment, worse, { revertsFailures: true });
    assert.deepEqual(resultsOf(results), ['a: updated unmet']);
    assert.ok(!results.every(isDeployed));
    const [endpoint] = (await deployment.client.listEndpoints({})).endpoints;
    assert.equal(endpoint?.timeout, 300_000);
  });

  it('expects by default that the job is completed', async () => {
    const [failing, completed] = [{ input: { do: 'fail' } }, { input: { do: 'pid' } }];
    const verification = verificationOf(await deploy(deployment, withJob(failing)));
    assert.ok(verification.outcome === 'unmet', verification.outcome);
    assert.deepEqual(verification.differences, [
      { path: '$.status', message: 'expected COMPLETED, but the job is FAILED' },
    ]);
    const files = withJob(completed, { ...SLEEPING, timeout: 60_000 });
    assert.deepEqual(resultsOf(await deploy(deployment, files)), ['a: updated passed']);
  });

  it('is canceled at its time limit, which is a difference', async () => {
    const results = await deploy(deployment, withJob({ input: { do: 'hang' }, timeout: 1 }));
    const verification = verificationOf(results);
    assert.ok(verification.outcome === 'unmet', verification.outcome);
    assert.match(verification.differences[0]?.message ?? '', /after 1000 ms and was canceled$/);
  });

  it('ends with the reason if no worker can start, and is canceled', async () => {
    const results = await deploy(deployment, withJob(echoes(1), SLEEPING, COMMANDS.crashes));
    const verification = verificationOf(results);
    assert.ok(verification.outcome === 'failed', verification.outcome);
    assert.ok(verification.diagnosis.evidence.includes('no model file'));
    assert.ok(results[0] && 'endpoint' in results[0]);
    const { inQueue, inProgress } = await jobsOf(results[0].endpoint.id);
    assert.deepEqual({ inQueue, inProgress }, { inQueue: 0, inProgress: 0 });
  });

  it('is canceled after an interruption, and nothing is taken back', async () => {
    const interrupted = new AbortController();
    const client = clientThrough(deployment, async (url, init) => {
      const response = await fetch(url, init);
      if (addressOf(url).endsWith('/run')) interrupted.abort();
      return response;
    });
    const results = await deploy(deployment, withJob({ input: { do: 'hang' } }), {
      ...{ client, signal: interrupted.signal, revertsFailures: true },
    });
    assert.deepEqual(resultsOf(results), ['a: created interrupted']);
    assert.ok(results[0] && 'endpoint' in results[0]);
    const { inQueue, inProgress } = await jobsOf(results[0].endpoint.id);
    assert.deepEqual({ inQueue, inProgress }, { inQueue: 0, inProgress: 0 });
  });

  it('does not run on a paused endpoint, or without a time for the verification', async () => {
    const paused = { workers: { min: 0, max: 0 } };
    assert.deepEqual(resultsOf(await deploy(deployment, withJob(echoes(1), paused))), ['a: created accepted']);
    const results = await deploy(deployment, withJob(echoes(1)), { verifyMs: 0 });
    assert.deepEqual(resultsOf(results), ['a: updated skipped']);
    assert.ok(results[0] && 'endpoint' in results[0]);
    assert.deepEqual((await jobsOf(results[0].endpoint.id)).completed, 0);
  });

  it('runs again if a worker of the earlier version took it', async () => {
    const files = withJob(echoes(1));
    let runs = 0;
    let isEarlier = true;
    const client = clientThrough(deployment, async (url, init) => {
      if (addressOf(url).endsWith('/run')) runs++;
      const response = await fetch(url, init);
      if (!addressOf(url).endsWith('/workers') || runs === 0 || !isEarlier) return response;
      const list = (await response.json()) as { readonly workers: readonly object[] };
      if (list.workers.length === 0) return Response.json(list);
      if (runs === 2) isEarlier = false;
      return Response.json({ ...list, workers: list.workers.map((worker) => ({ ...worker, isStale: runs === 1 })) });
    });
    assert.deepEqual(resultsOf(await deploy(deployment, files, { client })), ['a: created passed']);
    assert.equal(runs, 2);
  });

  describe('in a job file', () => {
    let folder: string;

    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-verification-'));
      afterwards(() => rm(folder, { recursive: true }));
    });

    const inFolder = (job: string, more = SLEEPING) =>
      withJob({ job }, more).map((file) => ({
        ...file,
        file: pathToFileURL(path.join(folder, file.fileName)).href,
      }));
    const write = (name: string, job: unknown) =>
      writeFile(path.join(folder, name), typeof job === 'string' ? job : JSON.stringify(job));

    it('has the expectations of the file, with a schema beside it', async () => {
      await write('out.json', { type: 'object', required: ['greeting'] });
      const job = { input: { do: 'echo', value: { greeting: 'Hello' } }, expect: { schema: 'out.json' } };
      await write('a b.job.json', job);
      assert.deepEqual(resultsOf(await deploy(deployment, inFolder('a b.job.json'))), ['a: created passed']);
      await write('a b.job.json', { ...job, input: { do: 'echo', value: {} } });
      const files = inFolder(path.join(folder, 'a b.job.json'), { workers: { min: 0, max: 2 } });
      const verification = verificationOf(await deploy(deployment, files));
      assert.ok(verification.outcome === 'unmet', verification.outcome);
      assert.match(verification.differences[0]?.message ?? '', /greeting/);
    });

    it('prevents the deployment if the file is missing or invalid', async () => {
      const reasonOf = async () => obstacleOf(await deployment.plan(inFolder('a.job.json')), 'testFile').reason;
      assert.match(await reasonOf(), /a\.job\.json/);
      await write('a.job.json', '{\n  "input": 7\n}');
      assert.equal(await reasonOf(), 'line 2, column 12: input: must be an object');
      assert.deepEqual(await deployment.names(), []);
    });

    it('is read again, so that a changed job is not sent without a question', async () => {
      await write('a.job.json', { input: { do: 'pid' } });
      const chosen = deployingSteps(await deployment.plan(inFolder('a.job.json')));
      await write('a.job.json', { input: { do: 'environment' } });
      assert.deepEqual(resultsOf(await deploy(deployment, inFolder('a.job.json'), { chosen })), ['a: changed']);
      assert.deepEqual(await deployment.names(), []);
    });
  });
});
