import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import { checkJobFile } from '../../src/features/jobs/model/checkJobFile.ts';
import { parseHttpFile } from '../../src/features/requests/model/parseHttpFile.ts';
import { checkHttpFile } from '../../src/features/requests/model/resolveRequest.ts';
import { HARDWARE_CATALOG } from '../../src/platform/domain/hardwareCatalog.ts';
import { sampleFiles, sampleNames, samples } from './support.ts';

const read = (sample: string, file: string) => readFile(path.join(samples, sample, file), 'utf8');

/** Returns the manifests of a sample, as a platform reads them. */
async function manifestsOf(sample: string, target: 'local' | 'hosted') {
  const files = sampleFiles(sample, '**/*.endpoint.yaml');
  const options = { language: 'yaml', target, catalog: HARDWARE_CATALOG } as const;
  const parts = await Promise.all(files.map(async (file) => readManifestFile(await read(sample, file), options).parts));
  return parts.flat();
}

describe('The list of samples', () => {
  it('contains each sample', async () => {
    const links = (await read('.', 'README.md')).matchAll(/\]\(([\w-]+)\/README\.md\)/g);
    assert.deepEqual([...links].map(([, name]) => name).sort(), [...sampleNames].sort());
  });
});

for (const sample of sampleNames) {
  describe(`The files of the sample ${sample}`, () => {
    // The image of this sample is on this machine until the user pushes it.
    const expected = { local: [], hosted: sample === 'container-image' ? ['imageOnlyLocal'] : [] };

    it('have manifests without problems on local and hosted platforms', async () => {
      for (const target of ['local', 'hosted'] as const) {
        const manifests = await manifestsOf(sample, target);
        assert.ok(manifests.length > 0);
        assert.deepEqual(
          manifests.flatMap(({ problems }) =>
            problems.filter(({ severity }) => severity !== 'hint').map(({ code }) => code),
          ),
          expected[target],
        );
      }
    });

    it('have job files and requests without problems', async () => {
      const [jobFiles, requestFiles] = [sampleFiles(sample, '**/*.job.json'), sampleFiles(sample, '**/*.http')];
      assert.ok(jobFiles.length + requestFiles.length > 0);
      for (const file of jobFiles) assert.deepEqual(checkJobFile(await read(sample, file)).problems, [], file);
      const endpoints = (await manifestsOf(sample, 'local')).flatMap(({ manifest }) =>
        manifest ? [{ id: 'id', name: manifest.name, type: manifest.type, base: 'https://id.example.com' }] : [],
      );
      const balanced = endpoints.filter(({ type }) => type === 'LOAD_BALANCER');
      const defaultEndpoint = balanced.length === 1 ? balanced[0]?.name : undefined;
      for (const file of requestFiles) {
        const context = { endpoints, defaultEndpoint, now: 0, random: () => 0 };
        assert.deepEqual(checkHttpFile(parseHttpFile(await read(sample, file)), context), [], file);
      }
    });

    it('are in the table of its README', async () => {
      const readme = await read(sample, 'README.md');
      const tops = sampleFiles(sample, '*.{yaml,json,http}').filter((file) => !readme.includes(`\`${file}\``));
      assert.deepEqual(tops, []);
      assert.match(readme, new RegExp(`^# ${sample}\n`));
    });
  });
}
