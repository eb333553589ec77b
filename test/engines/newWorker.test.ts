import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { WORKER_LANGUAGES, WORKER_TYPES } from '../../src/features/manifest/model/worker/workerFiles.ts';
import { CliWorld } from '../cli/cliWorld.ts';
import { cleanUp } from '../platform/support.ts';
import { addBaseImages } from './baseImages.ts';
import { onEngines } from './world.ts';

/* A new worker is built, and its container passes its test, without a change of what the program has written. */

describe('A new worker', function () {
  this.timeout(4 * 60_000);

  onEngines(({ running }) => {
    let removeBaseImages = (): Promise<void> => Promise.resolve();
    before(async () => {
      removeBaseImages = await addBaseImages(running().api);
    });
    after(() => removeBaseImages());
    afterEach(cleanUp);

    for (const language of WORKER_LANGUAGES)
      for (const type of WORKER_TYPES)
        it(`of the type ${type} in ${language} builds, and passes its test in a container`, async () => {
          const world = await CliWorld.create();
          Object.assign(world.env, { DOCKER_HOST: running().address, DOCKER_CONFIG: process.env['DOCKER_CONFIG'] });
          const folder = path.join(world.folder, 'greeter');
          const created = await world.run(['new', 'greeter', world.folder, '--language', language, '--type', type]);
          assert.equal(created.code, 0, created.stderr);
          const built = await world.run(['build', folder]);
          assert.equal(built.code, 0, built.stderr);
          // Without x-local, the local platform runs the image.
          const manifest = path.join(folder, 'greeter.endpoint.yaml');
          const text = await readFile(manifest, 'utf8');
          assert.match(text, /^image: localhost\/greeter:[0-9a-f]{12}$/m);
          await writeFile(manifest, text.replace(/^x-local:\n(?: .*\n)+/m, ''));
          const tested = await world.run(['test', folder]);
          assert.equal(tested.code, 0, tested.stderr + tested.stdout);
          assert.match(tested.stderr, /(\d) tests?: \1 passed/);
        });
  });
});
