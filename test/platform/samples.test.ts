import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { JobRequest } from '../../src/contract/job.ts';
import { checkManifest, localCreateBody } from '../../src/contract/manifest.ts';
import { operations } from '../../src/contract/operations.ts';
import { Routes } from './balancerSupport.ts';
import { cleanUp, platformForTest, repository } from './support.ts';

const read = (sample: string, file: string): Promise<string> =>
  readFile(path.join(repository, 'samples', sample, file), 'utf8');

/** Returns the requests that the sample's manifest sends to the local platform. */
async function createBody(sample: string) {
  const { manifest, violations } = checkManifest(parse(await read(sample, 'hello.endpoint.yaml')));
  assert.deepEqual(violations, []);
  assert.ok(manifest);
  return localCreateBody(manifest, (directory) => path.join(repository, 'samples', sample, directory));
}

describe('Queue sample', () => {
  after(cleanUp);

  it('has a valid manifest and a valid job', async () => {
    const { api } = await platformForTest();
    const body = await createBody('hello-queue');
    const endpoint = await api.call(operations.createEndpoint, { body });
    const { input } = JobRequest.parse(JSON.parse(await read('hello-queue', 'hello.job.json')));
    const job = await api.runSync(endpoint, { ...(input as object), seconds: 0 });
    assert.deepEqual(job.output, { greeting: 'Hello, world!' });
  });
});

describe('Load-balanced sample', () => {
  after(cleanUp);

  it('starts with the first request, answers, streams, and refuses unknown requests', async () => {
    const { api } = await platformForTest();
    const body = await createBody('hello-balanced');
    const env = { ...body.env, LOAD_SECONDS: '0.2' };
    const routes = new Routes(api, await api.call(operations.createEndpoint, { body: { ...body, env } }));
    const greet = (text: string) => routes.fetch('/greet', { method: 'POST', body: text });
    assert.deepEqual(await (await greet('{"name": "you"}')).json(), { greeting: 'Hello, you!' });
    assert.equal((await greet('{"name":')).status, 400);
    assert.equal((await routes.fetch('/nothing')).status, 404);
    assert.equal(await (await routes.fetch('/count?to=2')).text(), '1\n2\n');
    assert.equal((await routes.fetch('/ping')).status, 200);
  });
});
