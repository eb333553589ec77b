// Clauses of the interface: Endpoints 3; Errors, queue.
import assert from 'node:assert/strict';
import { operations } from '../../src/contract/operations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { parseWorkerError } from '../../src/contract/workerError.ts';
import { cleanUp, platformForTest, type Api } from './support.ts';

describe('Responses of the queue', () => {
  let api: Api;
  let endpoint: Endpoint;
  /** The endpoint has no workers, so jobs stay in the queue. */
  let paused: Endpoint;

  before(async () => {
    ({ api } = await platformForTest());
    endpoint = await api.createEndpoint();
    paused = await api.createEndpoint({ name: 'paused', workers: { min: 0, max: 0 } });
  });

  after(cleanUp);

  it('return a job from status-sync when it ends or when the wait ends', async () => {
    const { id } = await api.run(endpoint, { do: 'echo', value: 7 });
    const ended = await api.call(operations.getJobStatusSync, { parameters: { endpointId: endpoint.id, jobId: id } });
    assert.deepEqual([ended.id, ended.status, ended.output], [id, 'COMPLETED', 7]);
    const waiting = await api.run(paused, { n: 1 });
    const parameters = { endpointId: paused.id, jobId: waiting.id };
    const unfinished = await api.call(operations.getJobStatusSync, { parameters, query: { wait: 1_000 } });
    assert.deepEqual(unfinished, { id: waiting.id, status: 'IN_QUEUE' });
    await api.refused(404, operations.getJobStatusSync, { parameters: { ...parameters, jobId: 'nope' } });
  });

  it('report refusals as a failed job without an ID', async () => {
    const of = (target: Endpoint) => ({ endpointId: target.id });
    const check = (body: object, error: RegExp): void => {
      const { status, error: text, ...rest } = body as { status?: unknown; error?: string };
      assert.equal(status, 'FAILED');
      assert.match(text ?? '', error);
      assert.ok(!('id' in rest), 'a client would treat the error as a job');
    };
    check(await api.refused(400, operations.runJob, { parameters: of(paused), body: {} }), /input: missing/);
    check(
      await api.refused(400, operations.runJobSync, { parameters: of(paused), body: { input: undefined } }),
      /input/,
    );
    check(
      await api.refused(404, operations.runJob, { parameters: { endpointId: 'nope' }, body: { input: {} } }),
      /nope/,
    );
    const headers = { Authorization: 'Bearer wrong' };
    check(await api.refused(401, operations.runJob, { parameters: of(paused), body: { input: {} }, headers }), /token/);
    check(await api.refused(404, operations.getJobStatus, { parameters: { ...of(paused), jobId: 'nope' } }), /nope/);
    const response = await api.fetch(operations.runJob, { parameters: of(paused) }, { body: '{"input":' });
    check((await response.json()) as object, /is not JSON/);
    assert.equal(response.status, 400);
  });

  it("enforce the bounds of a job's options", async () => {
    const parameters = { endpointId: paused.id };
    const day = 86_400_000;
    const refused = [
      { policy: { executionTimeout: 4_999 } },
      { policy: { executionTimeout: 7 * day + 1 } },
      { policy: { ttl: 9_999 } },
      { policy: { ttl: 7 * day + 1 } },
      { policy: { lowPriority: 'yes' } },
      { webhook: 'ftp://127.0.0.1/' },
      { webhook: '/relative' },
      { s3Config: 'bucket' },
    ];
    for (const options of refused)
      await api.refused(400, operations.runJob, { parameters, body: { input: {}, ...options } });
    const policy = { executionTimeout: 5_000, ttl: 7 * day, lowPriority: true };
    await api.run(paused, {}, { policy, webhook: 'http://localhost:1/x', s3Config: { accessId: 'a' } });
    for (const wait of [999, 300_001, 'soon']) {
      await api.refused(400, operations.runJobSync, { parameters, body: { input: {} }, query: { wait } });
    }
    const { id } = await api.run(paused, { n: 1 });
    for (const ttl of [9_999, 7 * day + 1]) {
      await api.refused(400, operations.getJobStatus, { parameters: { ...parameters, jobId: id }, query: { ttl } });
    }
  });

  it('return a job again whose time to live is set to the same value', async () => {
    const { id } = await api.run(paused, { n: 1 });
    const parameters = { endpointId: paused.id, jobId: id };
    for (let call = 0; call < 2; call++) {
      const job = await api.call(operations.getJobStatus, { parameters, query: { ttl: 10_000 } });
      assert.deepEqual([job.id, job.status], [id, 'IN_QUEUE']);
    }
  });

  it('accept bodies of 10 MB for run and 20 MB for runsync, and refuse larger ones with 400', async () => {
    const parameters = { endpointId: paused.id };
    const input = { text: 'x'.repeat(10 * 1_048_576) };
    const { error } = await api.refused(400, operations.runJob, { parameters, body: { input } });
    assert.match(error ?? '', /larger than 10485760 bytes/);
    const job = await api.call(operations.runJobSync, { parameters, body: { input }, query: { wait: 1_000 } });
    assert.equal(job.status, 'IN_QUEUE');
    await api.refused(400, operations.runJobSync, { parameters, body: { input: { twice: [input, input] } } });
    await api.call(operations.purgeQueue, { parameters });
  });

  it('refuse a body that is nested too deeply to be serialized, and keep running', async () => {
    const parameters = { endpointId: paused.id };
    const brackets = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const post = (body: string) => api.fetch(operations.runJob, { parameters }, { body });
    const bodies = [1, `"${brackets(5_000)} \\\\"`, brackets(900), brackets(20_000)].map(
      (value) => `{"input": {"value": ${value}}}`,
    );
    const answers = await Promise.all(bodies.map(post));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 400],
    );
    assert.match((await answers[3]?.text()) ?? '', /nested more than 1000 levels/);
    await api.call(operations.purgeQueue, { parameters });
  });

  it('contain only the state of a job', async () => {
    const s3Config = { accessId: 'id', accessSecret: 'hush', bucketName: 'b', endpointUrl: 'http://127.0.0.1' };
    const { id } = await api.run(paused, { secret: 'hush' }, { s3Config });
    const parameters = { endpointId: paused.id, jobId: id };
    assert.deepEqual(await api.call(operations.getJobStatus, { parameters }), { id, status: 'IN_QUEUE' });
    assert.deepEqual(await api.call(operations.cancelJob, { parameters }), { id, status: 'CANCELLED' });
  });

  it('keep the ID of a retried job, and delete its old result', async () => {
    const { id, error } = await api.runSync(endpoint, { do: 'fail' });
    assert.equal(parseWorkerError(error)?.message, 'as asked');
    const parameters = { endpointId: endpoint.id, jobId: id };
    assert.deepEqual(await api.call(operations.retryJob, { parameters }), { id, status: 'IN_QUEUE' });
    assert.equal((await api.call(operations.getJobStatusSync, { parameters })).status, 'FAILED');
    const { jobs } = await api.call(operations.getEndpointHealth, { parameters });
    assert.deepEqual([jobs.retried, jobs.failed], [1, 1]);
    const canceled = await api.run(paused, { n: 1 });
    const other = { endpointId: paused.id, jobId: canceled.id };
    await api.call(operations.cancelJob, { parameters: other });
    assert.match((await api.refused(400, operations.retryJob, { parameters: other })).error ?? '', /CANCELLED/);
  });

  it('stream nothing after the end of a job except its status', async () => {
    const { id } = await api.runSync(endpoint, { do: 'echo' });
    const parameters = { endpointId: endpoint.id, jobId: id };
    const answer = await api.call(operations.streamJob, { parameters });
    assert.deepEqual(answer, { status: 'COMPLETED', stream: [] });
  });

  it('find jobs only under their own endpoint', async () => {
    const { id } = await api.run(paused, { n: 1 });
    const parameters = { endpointId: endpoint.id, jobId: id };
    for (const row of [operations.getJobStatus, operations.getJobStatusSync, operations.streamJob]) {
      await api.refused(404, row, { parameters });
    }
    await api.refused(404, operations.cancelJob, { parameters });
    await api.refused(404, operations.retryJob, { parameters });
  });
});
