import assert from 'node:assert/strict';
import path from 'node:path';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import type { JobInput } from '../../src/contract/job.ts';
import { operations } from '../../src/contract/operations.ts';
import { cleanUp, eventually, fixtures, platformForTest, type Api } from '../platform/support.ts';
import { hasPackage, importPythonImage, PYTHON_IMAGE } from './pythonImage.ts';
import { onEngines } from './world.ts';

/* An image with the public Python SDK, which is not changed. test/platform/sdk.test.ts runs the same handler as a process. */

const HANDLER = path.join(fixtures, 'sdk', 'handler.py');
const WAIT_MS = 60_000;

onEngines(({ running }) => {
  describe('An image with the public Python SDK', function () {
    this.timeout(3 * WAIT_MS);
    before(async function () {
      if (!(await hasPackage('runpod'))) this.skip();
      await importPythonImage(running().api, HANDLER);
    });
    afterEach(cleanUp);

    async function start(form: string): Promise<{ api: Api; endpoint: Endpoint }> {
      const engine = { containerEngine: running().address };
      const { api } = await platformForTest({ engine });
      const endpoint = await api.createEndpoint({
        workers: { min: 1, max: 1 },
        ...{ image: PYTHON_IMAGE, cmd: ['handler.py'], env: { KIND: form } },
      });
      return { api, endpoint };
    }

    async function run(api: Api, endpoint: Endpoint, input: JobInput, status: 'COMPLETED' | 'FAILED') {
      const { id } = await api.run(endpoint, input);
      return api.jobWithStatus(endpoint, id, status, WAIT_MS);
    }

    it('completes and fails jobs, and names its worker', async () => {
      const { api, endpoint } = await start('concurrent');
      const value = { text: 'ä€😀', list: [1, null] };
      assert.deepEqual((await run(api, endpoint, { do: 'echo', value }, 'COMPLETED')).output, value);
      const { error } = await run(api, endpoint, { do: 'raise' }, 'FAILED');
      const raised = JSON.parse(String(error)) as Record<string, unknown>;
      assert.match(String(raised['error_traceback']), /handler\.py.*ZeroDivisionError/s);
      assert.equal(raised['worker_id'], (await api.workers(endpoint))[0]?.id);
    });

    it('streams the values of a generator', async () => {
      const { api, endpoint } = await start('generator');
      const values = [1, 'two', { three: 3 }];
      const { id } = await api.run(endpoint, { values });
      const chunks: unknown[] = [];
      await eventually(
        'the stream has ended',
        async () => {
          const part = await api.call(operations.streamJob, { parameters: { endpointId: endpoint.id, jobId: id } });
          chunks.push(...part.stream.map(({ output }) => output));
          return part.status === 'COMPLETED' && part.stream.length === 0;
        },
        WAIT_MS,
      );
      assert.deepEqual(chunks, values);
    });

    it('reports progress, drops a canceled job, and takes the next one', async () => {
      const { api, endpoint } = await start('coroutine');
      const { id } = await api.run(endpoint, { do: 'report', value: { percent: 50 } });
      const progress = await eventually(
        'the job has progress',
        async () => (await api.job(endpoint, id)).output,
        WAIT_MS,
      );
      assert.deepEqual(progress, { percent: 50 });
      await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: id } });
      assert.equal((await api.job(endpoint, id)).status, 'CANCELLED');
      assert.equal((await run(api, endpoint, { do: 'echo', value: 'next' }, 'COMPLETED')).output, 'next');
    });

    it('gets a new container after its process has died', async () => {
      const { api, endpoint } = await start('coroutine');
      const { error } = await run(api, endpoint, { do: 'die' }, 'FAILED');
      assert.match(String(error), /lost 3 times.*SIGKILL/);
      assert.equal((await run(api, endpoint, { do: 'echo', value: 'next' }, 'COMPLETED')).output, 'next');
    });
  });
});
