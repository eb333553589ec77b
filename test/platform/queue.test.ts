// Clauses of the interface: Endpoints 2; Endpoints 3; Endpoints 4; States and transitions.
import assert from 'node:assert/strict';
import { operations } from '../../src/contract/operations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { parseWorkerError } from '../../src/contract/workerError.ts';
import { cleanUp, eventually, fastClock, helloWorker, platformForTest, type Api } from './support.ts';

describe('Jobs on a worker', () => {
  let api: Api;
  let endpoint: Endpoint;

  before(async () => {
    ({ api } = await platformForTest());
    endpoint = await api.createEndpoint();
  });

  after(cleanUp);

  it('start a worker, which becomes IDLE', async () => {
    const fresh = await api.createEndpoint({ name: 'fresh' });
    const worker = await api.worker(fresh, 'IDLE');
    assert.equal(worker.isStale, false);
    assert.equal(worker.version, 1);
    assert.equal(worker.gpuCount, 0);
    await eventually('the start time is known', async () => (await api.workers(fresh))[0]?.startedAt);
    const { summary, workers } = await api.call(operations.listEndpointWorkers, { parameters: { id: fresh.id } });
    assert.deepEqual([summary.idle, summary.total], [1, workers.length], 'the summary equals the list');
    await api.call(operations.deleteEndpoint, { parameters: { id: fresh.id } });
  });

  it('complete with their output', async () => {
    const queued = await api.run(endpoint, { do: 'echo', value: { answer: 42 } });
    assert.equal(queued.status, 'IN_QUEUE');
    assert.match(queued.id, /^[0-9a-f-]{36}-l1$/);
    const job = await api.jobWithStatus(endpoint, queued.id, 'COMPLETED');
    assert.deepEqual(job.output, { answer: 42 });
    assert.equal(typeof job.delayTime, 'number');
    assert.equal(typeof job.executionTime, 'number');
    assert.equal(typeof job.workerId, 'string');
  });

  it('run synchronously', async () => {
    const job = await api.runSync(endpoint, { do: 'echo', value: 'now' });
    assert.equal(job.status, 'COMPLETED');
    assert.equal(job.output, 'now');
    assert.match(job.id, /^sync-/);
  });

  it('are returned unfinished when the wait of runsync ends', async () => {
    const job = await api.call(operations.runJobSync, {
      parameters: { endpointId: endpoint.id },
      query: { wait: 1000 },
      body: { input: { do: 'hang' } },
    });
    assert.equal(job.status, 'IN_PROGRESS');
    await cancel(job.id);
  });

  it('fail if the handler throws', async () => {
    const job = await api.runSync(endpoint, { do: 'fail' });
    assert.equal(job.status, 'FAILED');
    assert.equal(parseWorkerError(job.error)?.message, 'as asked');
  });

  it('show progress as output, and can be canceled', async () => {
    const { id } = await api.run(endpoint, { do: 'report', value: { percent: 50 } });
    await eventually('the job has progress', async () => (await api.job(endpoint, id)).output !== undefined);
    const running = await api.job(endpoint, id);
    assert.equal(running.status, 'IN_PROGRESS');
    assert.deepEqual(running.output, { percent: 50 });
    assert.equal((await cancel(id)).status, 'CANCELLED');
    assert.equal((await api.job(endpoint, id)).status, 'CANCELLED');
    assert.equal(
      (await api.runSync(endpoint, { do: 'echo', value: 'next' })).output,
      'next',
      'the worker is idle again',
    );
  });

  it('stop their worker when they exceed the time limit', async () => {
    const short = await api.createEndpoint({ name: 'short', timeout: 300 });
    const { id } = await api.run(short, { do: 'deaf' });
    const job = await api.jobWithStatus(short, id, 'TIMED_OUT');
    assert.match(String(job.error), /timed out after 300 ms/);
    assert.equal((await api.runSync(short, { do: 'echo', value: 1 })).output, 1);
    const retried = await api.call(operations.retryJob, { parameters: { endpointId: short.id, jobId: id } });
    assert.deepEqual([retried.id, retried.status], [id, 'IN_QUEUE']);
    await api.call(operations.deleteEndpoint, { parameters: { id: short.id } });
  });

  it('are retried a limited number of times if their worker is lost', async () => {
    const { api: fast } = await platformForTest({ clock: fastClock });
    const fragile = await fast.createEndpoint();
    const { id } = await fast.run(fragile, { do: 'die' });
    const job = await fast.jobWithStatus(fragile, id, 'FAILED');
    assert.match(String(job.error), /lost 3 times.*exited with code 3/);
    const { jobs } = await fast.call(operations.getEndpointHealth, { parameters: { endpointId: fragile.id } });
    assert.deepEqual([jobs.failed, jobs.retried], [1, 2]);
  });

  it('can be purged from the queue', async () => {
    const full = await api.createEndpoint({ name: 'paused', workers: { min: 0, max: 0 } });
    const { id } = await api.run(full, { do: 'echo' });
    await api.run(full, { do: 'echo' });
    const result = await api.call(operations.purgeQueue, { parameters: { endpointId: full.id } });
    assert.deepEqual(result, { removed: 2, status: 'completed' });
    assert.equal((await api.job(full, id)).status, 'CANCELLED');
    const { jobs, workers } = await api.call(operations.getEndpointHealth, { parameters: { endpointId: full.id } });
    assert.equal(jobs.inQueue, 0);
    assert.deepEqual(workers, { idle: 0, initializing: 0, ready: 0, running: 0, throttled: 0, unhealthy: 0 });
  });

  it('cannot be retried unless they have failed, and do not exist under unknown IDs', async () => {
    const { id } = await api.runSync(endpoint, { do: 'echo' });
    const parameters = { endpointId: endpoint.id, jobId: id };
    assert.match((await api.refused(400, operations.retryJob, { parameters })).error ?? '', /COMPLETED/);
    await api.refused(404, operations.getJobStatus, { parameters: { ...parameters, jobId: 'nope' } });
    await api.refused(404, operations.getJobStatus, { parameters: { endpointId: 'nope', jobId: id } });
  });

  it('are returned unchanged by a second cancel', async () => {
    const { id } = await api.runSync(endpoint, { do: 'echo' });
    assert.equal((await cancel(id)).status, 'COMPLETED');
  });

  it('are canceled when their endpoint is deleted', async () => {
    const doomed = await api.createEndpoint({ name: 'doomed' });
    const waiting = api.runSync(doomed, { do: 'hang' });
    await eventually('the job runs', async () =>
      (await api.workers(doomed)).some(({ status }) => status === 'RUNNING'),
    );
    await api.call(operations.deleteEndpoint, { parameters: { id: doomed.id } });
    assert.equal((await waiting).status, 'CANCELLED');
    await api.refused(404, operations.getEndpoint, { parameters: { id: doomed.id } });
    await api.refused(404, operations.listEndpointWorkers, { parameters: { id: doomed.id } });
  });

  it('of the sample complete', async () => {
    const hello = await api.createEndpoint({
      name: 'hello',
      image: `process:${helloWorker}`,
      cmd: [process.execPath, 'handler.mjs'],
      env: { GREETING: 'Ahoy' },
    });
    assert.deepEqual((await api.runSync(hello, { name: 'you', seconds: 0 })).output, { greeting: 'Ahoy, you!' });
    const failed = await api.runSync(hello, { seconds: 0, fail: true });
    assert.equal(failed.status, 'FAILED');
    await api.call(operations.deleteEndpoint, { parameters: { id: hello.id } });
  });

  function cancel(jobId: string) {
    return api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId } });
  }
});
