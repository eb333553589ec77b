import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { localCreateBody } from '../../src/contract/manifest.ts';
import type { JobInput } from '../../src/contract/job.ts';
import { operations } from '../../src/contract/operations.ts';
import { readManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import { cleanUp, platformForTest, repository } from '../platform/support.ts';
import { buildFolder } from './images.ts';
import { onEngines } from './world.ts';

const SAMPLE = path.join(repository, 'samples', 'container-image');

describe('The sample container-image', () => {
  onEngines(({ running }) => {
    afterEach(cleanUp);

    it('builds, and runs its job in a container', async () => {
      const text = await readFile(path.join(SAMPLE, 'hello.endpoint.yaml'), 'utf8');
      const [part] = readManifestFile(text, { language: 'yaml', target: 'local' }).parts;
      const manifest = part?.manifest;
      assert.ok(manifest?.image !== undefined, 'the manifest is valid');
      await buildFolder(running().api, manifest.image, SAMPLE);
      const { api } = await platformForTest({ engine: { containerEngine: running().address } });
      const endpoint = await api.call(operations.createEndpoint, { body: localCreateBody(manifest, (path) => path) });
      const { input } = JSON.parse(await readFile(path.join(SAMPLE, 'hello.job.json'), 'utf8')) as { input: JobInput };
      const { id } = await api.run(endpoint, input);
      const job = await api.jobWithStatus(endpoint, id, 'COMPLETED', 60_000);
      const output = job.output as { readonly greeting: string; readonly container: string };
      assert.equal(output.greeting, 'Hello, world!');
      assert.match(output.container, /^[0-9a-f]{12}$/);
    });
  });
});
