// Clauses of the interface: Errors, invocation status codes.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { operations } from '../../src/contract/operations.ts';
import { isAlive } from '../../src/machine/processTable.ts';
import { puppet } from '../platform/puppet.ts';
import { cleanUp, dataDirectory, endpointBody, eventually, fixtures } from '../platform/support.ts';
import { ended, faultyEndpoint, launchBuilt, readEffects, scaled } from './support.ts';

/** Limits the size of the files that a process writes, in bytes. This simulates a full disk. Linux only. */
async function limitFiles(pid: number, bytes: number | 'unlimited'): Promise<void> {
  await promisify(execFile)('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

describe('Platform on a full disk', () => {
  afterEach(cleanUp);

  before(async function () {
    const canLimit = await limitFiles(process.pid, 'unlimited').then(
      () => true,
      () => false,
    );
    if (!canLimit) this.skip();
  });

  it('delays job requests of a worker that cannot deliver its result', async function () {
    const platform = await launchBuilt(['--json', '--data-dir', await dataDirectory()]);
    const { pid } = await platform.announcement();
    const api = await platform.api();
    const one = { workers: { min: 1, max: 1 } };
    const endpoint = await api.createEndpoint({ ...one, image: `process:${fixtures}`, cmd: ['node', 'puppet.mjs'] });
    const worker = await puppet(api, endpoint);
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    await limitFiles(pid, 1);
    await assert.rejects(worker.take(AbortSignal.timeout(1_000)), { name: 'TimeoutError' });
    await limitFiles(pid, 'unlimited');
    assert.match(String((await ended(api, endpoint, id)).error), /without a result/);
  });

  it('refuses new jobs, answers other requests, and resumes when the disk has room', async function () {
    const effects = path.join(await dataDirectory(), 'effects');
    const platform = await launchBuilt(['--json', '--data-dir', await dataDirectory()]);
    const { pid } = await platform.announcement();
    const api = await platform.api();
    const endpoint = await api.createEndpoint(faultyEndpoint(effects));
    const done = await api.run(endpoint, { do: 'echo', value: 'before' });
    const before = await ended(api, endpoint, done.id);
    // These jobs run when the disk fills up. Their results wait until the disk has room.
    const underWay = await api.run(endpoint, { do: 'echo', value: 'under way', ms: 700 });
    const waiting = await api.run(endpoint, { do: 'echo', value: 'waiting' });
    const dying = await api.createEndpoint(faultyEndpoint(effects, { name: 'dying' }));
    const killed = await api.run(dying, { do: 'kill' });
    const parameters = { endpointId: endpoint.id };

    await limitFiles(pid, 1);
    const refusal = await eventually('a job is refused', async () => {
      const response = await api.fetch(operations.runJob, {
        parameters,
        body: { input: { do: 'echo', value: 'refused' } },
      });
      const text = await response.text();
      assert.ok([200, 500].includes(response.status), text);
      if (response.status === 200) return false;
      assert.equal(response.headers.get('Retry-After'), '5');
      return text;
    });
    assert.match(refusal, /disk is full/);
    assert.deepEqual(await api.job(endpoint, done.id), before);
    await api.call(operations.getEndpointHealth, { parameters });
    // Long enough for the results to arrive while the disk is full. The long form also covers the platform's heartbeat.
    await new Promise((resolve) => setTimeout(resolve, scaled(7_000, 1_500)));
    await api.refused(507, operations.createEndpoint, { body: endpointBody() });
    assert.equal(
      (await api.fetch(operations.getJobStatus, { parameters: { ...parameters, jobId: waiting.id } })).status,
      200,
    );

    await limitFiles(pid, 'unlimited');
    for (const { id } of [underWay, waiting]) {
      const { status, error } = await ended(api, endpoint, id, 30_000);
      assert.equal(status, 'COMPLETED', error);
    }
    assert.equal((await ended(api, dying, killed.id, 30_000)).status, 'FAILED');
    const after = await api.run(endpoint, { do: 'echo', value: 'after' });
    assert.equal((await ended(api, endpoint, after.id, 30_000)).status, 'COMPLETED');

    await limitFiles(pid, 1);
    platform.kill('SIGTERM');
    await platform.exit;
    assert.deepEqual(
      (await readEffects(effects)).pids.filter(isAlive),
      [],
      'workers are still alive after the platform ended',
    );
  });
});
