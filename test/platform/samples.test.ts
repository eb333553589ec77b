import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { JobRequest } from '../../src/contract/job.ts';
import { checkManifest, localCreateBody } from '../../src/contract/manifest.ts';
import { operations } from '../../src/contract/operations.ts';
import { cleanUp, platformForTest, repository } from './support.ts';

describe('The sample', () => {
  after(cleanUp);

  const sample = path.join(repository, 'samples/hello-queue');
  const read = (file: string): Promise<string> => readFile(path.join(sample, file), 'utf8');

  it('has a manifest and a job that the platform takes as they are', async () => {
    const { manifest, violations } = checkManifest(parse(await read('hello.endpoint.yaml')));
    assert.deepEqual(violations, []);
    assert.ok(manifest);
    const { api } = await platformForTest();
    const body = localCreateBody(manifest, (directory) => path.join(sample, directory));
    const endpoint = await api.call(operations.createEndpoint, { body });
    const { input } = JobRequest.parse(JSON.parse(await read('hello.job.json')));
    const job = await api.runSync(endpoint, { ...(input as object), seconds: 0 });
    assert.deepEqual(job.output, { greeting: 'Hello, world!' });
  });
});
