import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readManifestFile } from '../../../src/features/manifest/model/manifestFile.ts';
import { entryOf, WORKER_LANGUAGES, WORKER_TYPES } from '../../../src/features/manifest/model/worker/workerFiles.ts';
import { HARDWARE_CATALOG } from '../../../src/platform/domain/hardwareCatalog.ts';
import { hasPython } from '../../platform/pythonSdk.ts';
import { cleanUp } from '../../platform/support.ts';
import { CliWorld } from '../cliWorld.ts';

describe('The command new', () => {
  let world: CliWorld;
  const filesIn = async (folder: string) =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();

  beforeEach(async () => {
    world = await CliWorld.create();
  });
  afterEach(cleanUp);

  for (const language of WORKER_LANGUAGES)
    for (const type of WORKER_TYPES)
      describe(`for a ${type} worker in ${language}`, () => {
        const create = () => world.run(['new', 'greeter', world.folder, '--language', language, '--type', type]);

        it('writes files that pass their own test as they are', async function () {
          if (language === 'python' && !hasPython()) this.skip();
          const { code, stdout, stderr } = await create();
          assert.equal(code, 0, stderr);
          const folder = path.join(world.folder, 'greeter');
          assert.deepEqual(stdout.trimEnd().split('\n').sort(), await filesIn(folder));
          assert.ok(stdout.includes(path.join(folder, entryOf({ language, type }))));
          const tested = await world.run(['test', folder]);
          assert.equal(tested.code, 0, tested.stderr + tested.stdout);
          assert.match(tested.stderr, /(\d) tests?: \1 passed/);
        });

        it('writes a manifest without problems', async () => {
          await create();
          const text = await readFile(path.join(world.folder, 'greeter', 'greeter.endpoint.yaml'), 'utf8');
          const codes = (target: 'local' | 'hosted') =>
            readManifestFile(text, { language: 'yaml', target, catalog: HARDWARE_CATALOG }).parts.flatMap(
              ({ problems }) => problems.map(({ code }) => code),
            );
          assert.deepEqual(codes('local'), []);
          // A hosted platform needs the image, which the user builds.
          assert.deepEqual(codes('hosted'), ['imageNotBuilt']);
        });
      });

  it('never changes an existing folder', async () => {
    const folder = path.join(world.folder, 'greeter');
    await mkdir(folder);
    const { code, stdout, stderr } = await world.run(['new', 'greeter', world.folder, '--language', 'node']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /greeter already exists/);
    assert.deepEqual(await filesIn(folder), []);
  });

  it('creates the parent folders', async () => {
    const parent = path.join(world.folder, 'a', 'b');
    const { code, stderr } = await world.run(['new', 'greeter', parent, '--language', 'node']);
    assert.equal(code, 0, stderr);
    assert.ok((await readdir(path.join(parent, 'greeter'))).includes('greeter.job.json'));
  });

  it('rejects names that are not those of a folder', async () => {
    for (const name of ['', '..', 'a/b', '.hidden', 'a b', 'nul', 'x'.repeat(61)]) {
      const { code } = await world.run(['new', name, world.folder, '--language', 'node']);
      assert.equal(code, 64, name);
    }
    assert.deepEqual(await readdir(world.folder), []);
  });
});
