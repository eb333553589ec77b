import assert from 'node:assert/strict';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import { IMAGE_EDIT_ENDPOINT_ID } from '../../../src/contract/imageModel.ts';
import { operations } from '../../../src/contract/operations.ts';
import { gradient, pngOf } from '../images/support.ts';
import { puppet } from '../puppet.ts';
import { Api, cleanUp, dataDirectory, eventually, otherAccount, platformForTest } from '../support.ts';
import { receiver, status } from '../webhookReceiver.ts';
import { kindsOf, partsOf, spanOf, spansOf, traceOf } from './support.ts';

const ON_DEMAND = { min: 0, max: 1 };
const WITH_PUPPET = { workers: { min: 1, max: 1 }, cmd: [process.execPath, 'puppet.mjs'] };

describe('Trace of a job', () => {
  afterEach(cleanUp);

  it('shows the cold start that it waited for, and its attempt', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: ON_DEMAND });
    const job = await api.runSync(endpoint, { do: 'echo', value: 1 });
    const trace = await traceOf(api, endpoint, job.id);
    const kinds = kindsOf(trace).filter((kind) => kind !== 'waitingForWorker');
    assert.deepEqual(kinds, ['queued', 'coldStart', 'creating', 'loading', 'running']);
    const [queued, running] = [spanOf(trace, 'queued'), spanOf(trace, 'running')];
    const { attempt, workerId, release, outcome } = running;
    assert.deepEqual(
      { attempt, workerId, release, outcome },
      { attempt: 1, workerId: job.workerId, release: 1, outcome: 'ok' },
    );
    assert.equal(queued.start, trace.createdAt);
    assert.equal(queued.end, running.start);
    assert.equal(running.end, trace.finishedAt);
    assert.equal(spanOf(trace, 'coldStart').end, queued.end);
    assert.equal(spanOf(trace, 'coldStart').workerId, job.workerId);
  });

  it('shows that it waits for the end of other work', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const first = await api.run(endpoint, { do: 'hang' });
    await api.jobWithStatus(endpoint, first.id, 'IN_PROGRESS');
    const { id } = await api.run(endpoint, { do: 'echo' });
    const waiting = await eventually('the wait is shown', async () => {
      const trace = await traceOf(api, endpoint, id);
      return trace.spans.length > 1 && trace;
    });
    assert.deepEqual(kindsOf(waiting), ['queued', 'waitingForBusyWorkers']);
    for (const span of waiting.spans) assert.equal(span.end, undefined);
    assert.equal(waiting.finishedAt, undefined);
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: first.id } });
    await api.jobWithStatus(endpoint, id, 'COMPLETED');
    const trace = await traceOf(api, endpoint, id);
    assert.deepEqual(kindsOf(trace), ['queued', 'waitingForBusyWorkers', 'running']);
    const running = spanOf(await traceOf(api, endpoint, first.id), 'running');
    assert.equal(running.outcome, 'cancelled');
  });

  it('shows that it waits for a free slot of the machine', async () => {
    const { api } = await platformForTest({ maxWorkers: 1 });
    const other = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    await api.worker(other, 'IDLE');
    const endpoint = await api.createEndpoint({ workers: ON_DEMAND });
    const { id } = await api.run(endpoint, { do: 'echo' });
    const { id: workerId } = await api.worker(endpoint, 'THROTTLED');
    const waiting = await traceOf(api, endpoint, id);
    const slot = spanOf(waiting, 'waitingForSlot');
    assert.equal(slot.end, undefined);
    assert.equal(slot.workerId, workerId);
    await api.call(operations.deleteEndpoint, { parameters: { id: other.id } });
    await api.jobWithStatus(endpoint, id, 'COMPLETED');
    const parts = partsOf(await traceOf(api, endpoint, id));
    assert.deepEqual(parts.slice(-2), ['waitingForSlot', 'coldStart']);
  });

  it('shows the attempt of a lost worker, and what the next one waited for', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const { id } = await api.run(endpoint, { do: 'die' });
    await api.jobWithStatus(endpoint, id, 'FAILED');
    const trace = await traceOf(api, endpoint, id);
    const running = spansOf(trace, 'running');
    assert.deepEqual(
      running.map(({ attempt, outcome }) => [attempt, outcome]),
      [1, 2, 3].map((attempt) => [attempt, 'workerLost']),
    );
    assert.match(running[0]?.reason ?? '', /exited with code 3/);
    assert.deepEqual(
      spansOf(trace, 'queued').map(({ attempt, start }) => [attempt, start]),
      [1, 2, 3].map((attempt) => [attempt, attempt === 1 ? trace.createdAt : running[attempt - 2]?.end]),
    );
    const waits = spansOf(trace, 'waitingAfterFailure');
    assert.equal(waits.length, 2);
    assert.match(waits[0]?.reason ?? '', /exited with code 3/);
    assert.equal(spansOf(trace, 'coldStart').length, 3);
  });

  it('shows an attempt that a caller retried, with its outcome', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const { id } = await api.runSync(endpoint, { do: 'fail' });
    const failed = await traceOf(api, endpoint, id);
    assert.equal(spanOf(failed, 'running').outcome, 'failed');
    await api.call(operations.retryJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    const trace = await eventually('the job has failed again', async () => {
      const again = await traceOf(api, endpoint, id);
      return again.finishedAt !== undefined && again;
    });
    const running = spansOf(trace, 'running');
    assert.deepEqual(running[0], spanOf(failed, 'running'));
    assert.match(running[0].reason ?? '', /as asked/);
    assert.deepEqual([running.length, running[1]?.attempt, running[1]?.outcome], [2, 2, 'failed']);
  });

  it('ends in the queue if the job is canceled there', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const { id } = await api.run(endpoint, { do: 'echo' });
    await api.call(controlOperations.setClock, { body: { advanceMs: 1_000 } });
    const waiting = await traceOf(api, endpoint, id);
    assert.equal(spanOf(waiting, 'queued').end, undefined);
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    const trace = await traceOf(api, endpoint, id);
    for (const { spans } of [waiting, trace]) assert.deepEqual(kindsOf({ spans }), ['queued', 'waitingForWorker']);
    assert.equal(spanOf(trace, 'queued').end, trace.finishedAt);
  });

  it('shows that the attempt timed out', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    await api.worker(endpoint, 'IDLE');
    const { id } = await api.run(endpoint, { do: 'hang' }, { policy: { executionTimeout: 5_000 } });
    await api.jobWithStatus(endpoint, id, 'IN_PROGRESS');
    await api.call(controlOperations.setClock, { body: { advanceMs: 10_000 } });
    await api.jobWithStatus(endpoint, id, 'TIMED_OUT');
    const running = spanOf(await traceOf(api, endpoint, id), 'running');
    assert.equal(running.outcome, 'timedOut');
    assert.match(running.reason ?? '', /timed out after 5000 ms/);
  });

  it('shows the time of its stream, from the first chunk to the last one', async () => {
    const dataDir = await dataDirectory();
    const { api, platform } = await platformForTest({ dataDir });
    const endpoint = await api.createEndpoint(WITH_PUPPET);
    const worker = await puppet(api, endpoint);
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    for (const chunk of ['first', 'second']) await worker.chunk(id, chunk);
    const open = spanOf(await traceOf(api, endpoint, id), 'streaming');
    await worker.chunk(id, 'last');
    await worker.done(id, JSON.stringify({ output: [] }));
    const streaming = spanOf(await traceOf(api, endpoint, id), 'streaming');
    assert.equal(streaming.start, open.start);
    assert.ok((streaming.end ?? '') >= (open.end ?? ''));
    assert.equal(streaming.attempt, 1);
    await platform.close();
    const { api: next } = await platformForTest({ dataDir });
    assert.deepEqual(spanOf(await traceOf(next, endpoint, id), 'streaming'), streaming);
  });

  it('shows the deliveries of its webhook without the secrets of its URL', async () => {
    const { api } = await platformForTest();
    const answers = [500, 200];
    const { url, calls } = await receiver((response) => status(answers.shift() ?? 200)(response));
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const { id } = await api.run(endpoint, { do: 'echo' }, { webhook: `${url}/secret?token=secret` });
    await eventually('the first delivery has failed', () => calls.length === 1);
    const trace = await eventually('the webhook is delivered', async () => {
      await api.call(controlOperations.setClock, { body: { advanceMs: 10_000 } });
      const now = await traceOf(api, endpoint, id);
      return spansOf(now, 'webhook').length === 2 && now;
    });
    const [failed, delivered] = spansOf(trace, 'webhook');
    assert.equal(failed?.outcome, 'failed');
    assert.match(failed.reason ?? '', /status 500/);
    assert.deepEqual([failed.attempt, failed.name], [1, url]);
    assert.deepEqual([delivered?.attempt, delivered?.outcome, delivered?.reason], [2, 'ok', undefined]);
    assert.ok(!JSON.stringify(trace).includes('secret'));
  });

  it('is complete after a restart of the platform, which returned the job to the queue', async () => {
    const dataDir = await dataDirectory();
    const { api, platform } = await platformForTest({ dataDir });
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const { id } = await api.run(endpoint, { do: 'pid' }, {});
    await api.jobWithStatus(endpoint, id, 'COMPLETED');
    const before = await traceOf(api, endpoint, id);
    const { id: running } = await api.run(endpoint, { do: 'hang' });
    await api.jobWithStatus(endpoint, running, 'IN_PROGRESS');
    await platform.close();
    const { api: next } = await platformForTest({ dataDir });
    assert.deepEqual(await traceOf(next, endpoint, id), before);
    await next.jobWithStatus(endpoint, running, 'IN_PROGRESS');
    const trace = await traceOf(next, endpoint, running);
    assert.deepEqual(
      spansOf(trace, 'running').map(({ attempt, outcome }) => [attempt, outcome]),
      [
        [1, 'returned'],
        [2, undefined],
      ],
    );
    const [, queued] = spansOf(trace, 'queued');
    const second = trace.spans.filter(({ start }) => start >= (queued?.start ?? ''));
    assert.ok(second.some(({ kind }) => kind === 'coldStart'));
  });

  it('shows that a worker resumed from standby', async function () {
    if (process.platform === 'win32') this.skip();
    const { api } = await platformForTest();
    const scaledDown = { flashboot: 'FLASHBOOT', workers: { min: 0, max: 1, idleTimeout: 1 } } as const;
    const endpoint = await api.createEndpoint(scaledDown);
    const first = await api.runSync(endpoint, { do: 'pid' });
    await eventually('the worker is scaled down', async () => (await api.workers(endpoint)).length === 0);
    const second = await api.runSync(endpoint, { do: 'pid' });
    assert.equal(second.workerId, first.workerId);
    const trace = await traceOf(api, endpoint, second.id);
    const queued = spanOf(trace, 'queued');
    assert.deepEqual(partsOf(trace), queued.start === queued.end ? [] : ['resuming']);
    for (const span of spansOf(trace, 'resuming')) assert.equal(span.workerId, first.workerId);
  });

  it('is part of a snapshot', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const { id } = await api.runSync(endpoint, { do: 'die' });
    await api.jobWithStatus(endpoint, id, 'FAILED');
    const trace = await traceOf(api, endpoint, id);
    const snapshot = await (await api.fetch(controlOperations.exportSnapshot)).arrayBuffer();
    const { api: other } = await platformForTest();
    const query = { secrets: 'drop' };
    const response = await other.fetch(controlOperations.importSnapshot, { query }, { body: snapshot });
    assert.equal(response.status, 204, await response.text());
    assert.deepEqual(await traceOf(other, endpoint, id), trace);
  });

  it('of the model that edits images is that of the own queue, and has no worker', async () => {
    const { api } = await platformForTest();
    const endpoint = { id: IMAGE_EDIT_ENDPOINT_ID };
    const image = `data:image/png;base64,${pngOf(gradient(6, 4)).toString('base64')}`;
    const job = await api.call(operations.editImage, { body: { input: { prompt: 'invert', image } } });
    const trace = await traceOf(api, endpoint, job.id);
    assert.deepEqual(kindsOf(trace), ['queued', 'running']);
    assert.equal(spanOf(trace, 'running').outcome, 'ok');
    const other = await otherAccount(api);
    const parameters = { endpointId: endpoint.id, jobId: job.id };
    await other.refused(404, controlOperations.getJobTrace, { parameters });
  });

  it('of an imported job has its times, and no worker', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const job = {
      endpoint: endpoint.id,
      id: 'imported',
      status: 'COMPLETED',
      at: '-1h',
      delayTime: 40,
      executionTime: 900,
    };
    await api.call(controlOperations.seed, { body: { jobs: [job] } });
    const trace = await traceOf(api, endpoint, 'imported');
    assert.deepEqual(
      kindsOf(trace).filter((kind) => kind !== 'waitingForWorker'),
      ['queued', 'running'],
    );
    const { start, end = '' } = spanOf(trace, 'running');
    assert.equal(Date.parse(end) - Date.parse(start), 900);
  });

  it('has the request of the job beside it, without webhook and S3 settings, for the owner only', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint();
    const policy = { ttl: 60_000, lowPriority: true };
    const webhook = 'http://127.0.0.1:1/hook?token=t';
    const { id } = await api.run(endpoint, { do: 'echo', value: 1 }, { policy, webhook, s3Config: { key: 'k' } });
    const { getJobRequest } = controlOperations;
    const parameters = { endpointId: endpoint.id, jobId: id };
    await eventually('the job has ended', async () => (await api.job(endpoint, id)).status === 'COMPLETED');
    const { createdAt, ...request } = await api.call(getJobRequest, { parameters });
    const { image } = endpoint;
    assert.deepEqual(request, { input: { do: 'echo', value: 1 }, policy, release: 1, image });
    assert.ok(Date.parse(createdAt) <= Date.now());
    await api.refused(404, getJobRequest, { parameters: { ...parameters, jobId: 'unknown' } });
    const { key } = await api.call(controlOperations.createApiKey, { body: { name: 'k', permissions: ['invoke'] } });
    await new Api({ ...api.addresses, apiKey: key }).refused(401, getJobRequest, { parameters });
  });

  it('is that of a job that exists, of an endpoint that the key may read', async () => {
    const { api } = await platformForTest({ allowProcessEndpoints: true });
    const other = await otherAccount(api);
    const endpoint = await other.createEndpoint({ workers: { min: 0, max: 0 } });
    const { id } = await other.run(endpoint, {}, { policy: { ttl: 60_000 } });
    const { getJobTrace } = controlOperations;
    const of = { parameters: { endpointId: endpoint.id, jobId: id } };
    for (const reader of [api, other]) await reader.call(getJobTrace, of);
    const stranger = await otherAccount(api);
    await stranger.refused(404, getJobTrace, of);
    await api.refused(404, getJobTrace, { parameters: { ...of.parameters, jobId: 'unknown' } });
    await api.refused(404, getJobTrace, { parameters: { ...of.parameters, endpointId: 'unknown' } });
    const { key } = await api.call(controlOperations.createApiKey, { body: { name: 'k', permissions: ['invoke'] } });
    await new Api({ ...api.addresses, apiKey: key }).refused(403, getJobTrace, of);
    await new Api({ ...api.addresses, apiKey: 'wrong' }).refused(401, getJobTrace, of);
    await api.call(controlOperations.setClock, { body: { advanceMs: 60_001 } });
    await other.refused(404, getJobTrace, of);
  });
});
