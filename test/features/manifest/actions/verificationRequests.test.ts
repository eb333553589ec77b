import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { Manifest } from '../../../../src/contract/manifest.ts';
import { isDeployed, type DeployedStep } from '../../../../src/features/manifest/actions/deploySteps.ts';
import { deployingSteps } from '../../../../src/features/manifest/model/deployment/deploymentPlan.ts';
import { evidenceOf, verificationWords } from '../../../../src/features/manifest/model/deployment/verification.ts';
import { afterwards, cleanUp } from '../../../platform/support.ts';
import { clientThrough, COMMANDS, deploy, resultsOf, runningManifest } from './deploying.ts';
import { Deployment, fileOf, obstacleOf } from './deployment.ts';

describe('The requests of a manifest', () => {
  let deployment: Deployment;
  let folder: string;

  beforeEach(async () => {
    deployment = await Deployment.start();
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-verification-'));
    afterwards(() => rm(folder, { recursive: true }));
  });
  afterEach(cleanUp);

  const SERVER = [process.execPath, 'server.mjs'];
  const filesWith = (changes: Partial<Manifest> = {}, command: readonly string[] = SERVER) => {
    const text = runningManifest('a', command, {
      type: 'LOAD_BALANCER',
      scaling: { type: 'REQUEST_COUNT', requestCount: 10 },
      workers: { min: 0, max: 1 },
      'x-verify': { request: 'verify.http' },
      ...changes,
    });
    return [{ ...fileOf('a.endpoint.json', text), file: pathToFileURL(path.join(folder, 'a.endpoint.json')).href }];
  };
  const write = (text: string) => writeFile(path.join(folder, 'verify.http'), text);
  const verificationOf = ([result]: readonly DeployedStep[]) => {
    assert.ok(result && 'verification' in result, result?.outcome);
    return result.verification;
  };
  const UNMET = '# @expect status 200\nGET /status/503\n';

  for (const [what, min] of [
    ['no worker runs yet', 0],
    ['a worker is up', 1],
  ] as const)
    it(`pass if ${what}, with their bodies and variables`, async () => {
      await writeFile(path.join(folder, 'body.txt'), '{{text}}');
      await write(
        '@text = 12345\n\n### by name\n# @expect body {"method": "PUT"}\nPUT {{endpoint:a}}/echo\n\n' +
          '### in a file\n# @expect body 5\nPOST /size\nContent-Type: text/plain\n\n<@ ./body.txt\n\n### not a test\nGET /status/500\n',
      );
      const states: string[] = [];
      const results = await deploy(deployment, filesWith({ workers: { min, max: 1 } }), {
        onState: (step, { headline }) => states.push(`${step.name}: ${headline}`),
      });
      const verification = verificationOf(results);
      assert.deepEqual(verification, { outcome: 'passed', requests: 2, differences: [], log: [] });
      assert.equal(verificationWords(verification), 'the requests of x-verify met their expectations');
      assert.ok(results.every(isDeployed));
      assert.ok(states.includes('a: Waiting for the requests of x-verify'), states.join());
    });

  it('fail the verification with all differences, and are taken back with the deployment', async () => {
    await write('# @expect status 200\nGET /status/200\n');
    assert.deepEqual(resultsOf(await deploy(deployment, filesWith())), ['a: created passed']);
    await write(`### broken\n${UNMET}\n###\n# @expect body {"method": "POST"}\nGET /echo\n`);
    const results = await deploy(deployment, filesWith({ timeout: 60_000 }), { revertsFailures: true });
    const verification = verificationOf(results);
    assert.ok(verification.outcome === 'unmet', verification.outcome);
    assert.deepEqual(evidenceOf(verification).slice(0, 2), [
      'broken: $.status: expected the status 200, but it is 503',
      'GET /echo: $.body.method: expected "POST", but it is "GET"',
    ]);
    assert.match(verificationWords(verification), /did not meet their expectations\. broken: .* \(and 1 more\)$/);
    const [endpoint] = (await deployment.client.listEndpoints({})).endpoints;
    assert.equal(endpoint?.timeout, 300_000);
  });

  it('end at their time limit, which is a difference', async () => {
    await write('# @expect status 200\nGET /silent\n\n###\n# @expect status 200\nGET /echo\n');
    const files = filesWith({ 'x-verify': { request: 'verify.http', timeout: 1 }, workers: { min: 1, max: 1 } });
    const verification = verificationOf(await deploy(deployment, files));
    assert.ok(verification.outcome === 'unmet', verification.outcome);
    assert.deepEqual(verification.differences, [
      { path: 'GET /silent: $.status', message: 'there was no response within 1000 ms' },
    ]);
  });

  it('report a request that cannot be sent as a difference', async () => {
    await write('# @expect status 200\nPOST /echo\n\n< ./nothing.bin\n');
    const verification = verificationOf(await deploy(deployment, filesWith()));
    assert.ok(verification.outcome === 'unmet', verification.outcome);
    assert.match(evidenceOf(verification)[0] ?? '', /^POST \/echo: the file \.\/nothing\.bin cannot be read/);
  });

  it('end with the reason if no worker can start', async () => {
    await write(UNMET);
    const verification = verificationOf(await deploy(deployment, filesWith({}, COMMANDS.crashes)));
    assert.ok(verification.outcome === 'failed', verification.outcome);
    assert.ok(verification.diagnosis.evidence.includes('no model file'));
  });

  it('are sent again if a worker of the earlier version has responded', async () => {
    await write('# @expect status 200\nGET /status/200\n');
    const states: string[] = [];
    let isEarlier = true;
    const client = clientThrough(deployment, async (url, init) => {
      const response = await fetch(url, init);
      if (!new Request(url).url.endsWith('/workers') || states.length === 0 || !isEarlier) return response;
      const list = (await response.json()) as { readonly workers: readonly object[] };
      if (list.workers.length === 0) return Response.json(list);
      isEarlier = states.length < 2;
      return Response.json({ ...list, workers: list.workers.map((worker) => ({ ...worker, isStale: isEarlier })) });
    });
    const onState = (_: unknown, { headline }: { readonly headline: string }) => {
      if (headline === 'Waiting for the requests of x-verify') states.push(headline);
    };
    assert.deepEqual(resultsOf(await deploy(deployment, filesWith(), { client, onState })), ['a: created passed']);
    assert.equal(states.length, 2);
  });

  it('prevent the deployment if their file is missing, has no expectation, or is not for the endpoint', async () => {
    const reasonOf = async () => obstacleOf(await deployment.plan(filesWith()), 'testFile').reason;
    assert.match(await reasonOf(), /verify\.http/);
    for (const [text, reason] of [
      ['GET /health\n', /^no request has an expectation, such as # @expect status 200$/],
      ['# @expect status ok\nGET /health\n', /^line 1, column 1: An expectation is a status/],
      ['# @expect status 200\nGET {{endpoint:b}}/health\n', /^line 2, column 16: The connection has no endpoint 'b'/],
      ['# @expect status 200\nGET {{nothing}}/health\n', /^line 2, column 7: /],
      ['# @expect status 200\nWEBSOCKET /socket\n', /^line 2, column 1: a WebSocket cannot have expectations$/],
    ] as const) {
      await write(text);
      assert.match(await reasonOf(), reason);
    }
    assert.deepEqual(await deployment.names(), []);
  });

  it('are read again, so that changed requests are not sent without a question', async () => {
    await write(UNMET);
    const chosen = deployingSteps(await deployment.plan(filesWith()));
    await write('# @expect status 200\nDELETE /echo\n');
    assert.deepEqual(resultsOf(await deploy(deployment, filesWith(), { chosen })), ['a: changed']);
    assert.deepEqual(await deployment.names(), []);
  });
});
