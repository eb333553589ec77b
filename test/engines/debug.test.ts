import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Hold } from '../platform/debugHold.ts';
import { cleanUp, fixtures, platformForTest, repository } from '../platform/support.ts';
import { describeDebugger } from './debugConformance.ts';
import { buildImage } from './images.ts';
import { hasPackage, importPythonImage, PYTHON_IMAGE } from './pythonImage.ts';
import { onEngines } from './world.ts';

const QUEUE_IMAGE = 'cloud-compute-test/queue:1';

onEngines(({ running }) => {
  describe('The debugger of a worker in a container', function () {
    this.timeout(180_000);
    before(async () => {
      const { api } = running();
      const loop = 'samples/hello-queue/hello/serverless.mjs';
      const files = {
        'test/platform/fixtures/worker.mjs': await readFile(path.join(fixtures, 'worker.mjs'), 'utf8'),
        [loop]: await readFile(path.join(repository, loop), 'utf8'),
      };
      await buildImage(api, QUEUE_IMAGE, { files, instructions: ['CMD ["/test/platform/fixtures/worker.mjs"]'] });
      await importPythonImage(api, path.join(fixtures, 'worker.py'));
    });
    afterEach(cleanUp);

    const create = async (changes: object) => {
      const { api } = await platformForTest({ engine: { containerEngine: running().address } });
      return { api, endpoint: await api.createEndpoint({ workers: { min: 1, max: 1 }, ...changes }) };
    };
    describeDebugger(
      (language) =>
        create(
          language === 'node'
            ? { image: QUEUE_IMAGE, cmd: undefined }
            : { image: PYTHON_IMAGE, cmd: ['-u', 'worker.py'] },
        ),
      { hasDebugpy: () => hasPackage('debugpy') },
    );

    it('reports that the Python of an image has no debugpy', async function () {
      if (await hasPackage('debugpy')) this.skip();
      const { api, endpoint } = await create({ image: PYTHON_IMAGE, cmd: ['-u', 'worker.py'] });
      await api.worker(endpoint, 'IDLE');
      assert.equal((await new Hold(api, endpoint).event('failed')).problem, 'debugpyMissing');
    });
  });
});
