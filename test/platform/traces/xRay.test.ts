import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { python } from '../pythonSdk.ts';
import { afterwards, cleanUp, eventually, fixtures, helloWorker, platformForTest, type Api } from '../support.ts';
import { kindsOf, longestImport, spansOf } from './support.ts';
import { measuredStart, XRay } from './xRay.ts';

const { xRayStart, getWorkerStart } = controlOperations;

/** Far longer than a busy machine needs for any other module. */
const SLOW_SECONDS = 1;

describe('X-ray of a cold start', () => {
  let api: Api;
  let directory: string;

  beforeEach(async () => {
    ({ api } = await platformForTest());
    directory = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-imports-'));
    afterwards(() => rm(directory, { recursive: true, force: true }));
  });
  afterEach(cleanUp);

  const create = (...cmd: string[]) =>
    api.createEndpoint({ image: `process:${directory}`, cmd, workers: { min: 0, max: 1 } });
  const measured = (endpoint: Endpoint) => measuredStart(api, endpoint);
  const lines = async (endpoint: Endpoint, workerId: string): Promise<string[]> => {
    const isLast = ({ line }: { line: string }) => line.includes('its start was measured');
    return (await api.logsUntil(endpoint, workerId, isLast)).map(({ line }) => line);
  };

  describe('of a Node.js worker', () => {
    beforeEach(async () => {
      await cp(helloWorker, path.join(directory, 'hello'), { recursive: true });
      const worker = await readFile(path.join(fixtures, 'worker.mjs'), 'utf8');
      const code = worker.replace('../../../samples/hello-queue/hello', './hello');
      await writeFile(path.join(directory, 'worker.mjs'), `import './slow.mjs';\nimport 'heavy';\n${code}`);
      await writeFile(
        path.join(directory, 'slow.mjs'),
        `console.error('a line of the worker');\nawait new Promise((resolve) => setTimeout(resolve, ${SLOW_SECONDS * 1_000}));\n`,
      );
      await mkdir(path.join(directory, 'node_modules/heavy'), { recursive: true });
      await writeFile(path.join(directory, 'node_modules/heavy/index.js'), "require('./inner.js');\n");
      await writeFile(
        path.join(directory, 'node_modules/heavy/inner.js'),
        'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);\n',
      );
    });

    it('names the slow modules of both kinds, which the log of the worker does not contain', async () => {
      const endpoint = await create(process.execPath, 'worker.mjs');
      const trace = await measured(endpoint);
      assert.equal(longestImport(trace)?.name, 'slow.mjs');
      const names = spansOf(trace, 'importing').map(({ name, depth }) => `${depth} ${name}`);
      assert.ok(names.includes('0 heavy/index.js') && names.includes('1 heavy/inner.js'), names.join('\n'));
      const log = await lines(endpoint, trace.workerId);
      assert.ok(log.includes('a line of the worker'));
      assert.deepEqual(
        log.filter((line) => line.includes('import time')),
        [],
      );
    });

    it('ends the worker afterwards, and keeps its start', async () => {
      const endpoint = await create(process.execPath, 'worker.mjs');
      const trace = await measured(endpoint);
      await eventually('end of the worker', async () => (await api.workers(endpoint)).length === 0);
      const parameters = { endpointId: endpoint.id, workerId: trace.workerId };
      assert.deepEqual(await api.call(getWorkerStart, { parameters }), trace);
      assert.deepEqual(kindsOf(trace).slice(0, 3), ['coldStart', 'creating', 'loading']);
      assert.ok((trace.otherImports?.seconds ?? -1) >= 0);
    });

    it('does not measure other workers', async () => {
      const endpoint = await create(process.execPath, 'worker.mjs');
      const job = await api.runSync(endpoint, { do: 'environment' });
      assert.ok(!JSON.stringify(job.output).includes('PYTHONPROFILEIMPORTTIME'));
    });

    it('leaves the workers of the endpoint alone', async () => {
      const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
      const { id } = await api.worker(endpoint, 'IDLE');
      const { workerId } = await measured(endpoint);
      assert.notEqual(workerId, id);
      await eventually('end of the worker', async () => (await api.workers(endpoint)).length === 1);
      assert.equal((await api.worker(endpoint, 'IDLE')).id, id);
    });
  });

  describe('of a Python worker', () => {
    before(function () {
      try {
        execFileSync(python, ['-c', ''], { stdio: 'ignore' });
      } catch {
        this.skip();
      }
    });

    it('names the slow module first, which the log of the worker does not contain', async () => {
      await writeFile(
        path.join(directory, 'slow_module.py'),
        `import sys, time\nsys.stderr.write("a line of the worker\\n")\ntime.sleep(${SLOW_SECONDS})\n`,
      );
      await writeFile(path.join(directory, 'worker.py'), 'import slow_module\n');
      await appendFile(path.join(directory, 'worker.py'), await readFile(path.join(fixtures, 'worker.py'), 'utf8'));
      const endpoint = await create(python, 'worker.py');
      const trace = await measured(endpoint);
      const slow = longestImport(trace);
      assert.equal(slow?.name, 'slow_module');
      assert.ok((slow.selfSeconds ?? 0) >= SLOW_SECONDS / 2);
      const log = await lines(endpoint, trace.workerId);
      assert.ok(log.includes('a line of the worker'));
      assert.deepEqual(
        log.filter((line) => line.includes('import time')),
        [],
      );
    });
  });

  it('fails with the cause if the worker does not start', async () => {
    await writeFile(path.join(directory, 'worker.mjs'), "throw new Error('broken on purpose');\n");
    const endpoint = await create(process.execPath, 'worker.mjs');
    const failed = await new XRay(api, endpoint).event('failed');
    assert.equal(failed.problem, 'notStarted');
    assert.match(failed.reason ?? '', /exited with code 1/);
    await eventually('end of the worker', async () => (await api.workers(endpoint)).length === 0);
  });

  it('ends the worker if the caller leaves', async () => {
    await writeFile(path.join(directory, 'worker.mjs'), 'setInterval(() => undefined, 1_000);\n');
    const endpoint = await create(process.execPath, 'worker.mjs');
    const xRay = new XRay(api, endpoint);
    await xRay.event('starting');
    await xRay.close();
    await eventually('end of the worker', async () => (await api.workers(endpoint)).length === 0);
  });

  it('needs an endpoint with workers', async () => {
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    assert.equal((await new XRay(api, endpoint).event('failed')).problem, 'noWorkers');
    await api.refused(404, xRayStart, { parameters: { endpointId: 'missing' } });
  });
});
