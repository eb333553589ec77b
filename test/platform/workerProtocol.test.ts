import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { puppet, type Puppet } from './puppet.ts';
import { cleanUp, eventually, fastClock, platformForTest, type Api } from './support.ts';

describe('Worker protocol', () => {
  let api: Api;
  let endpoint: Endpoint;
  let worker: Puppet;

  beforeEach(async () => {
    ({ api } = await platformForTest());
    endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 }, cmd: [process.execPath, 'puppet.mjs'] });
    worker = await puppet(api, endpoint);
  });

  afterEach(cleanUp);

  /** Advances the clock by the endpoint's job timeout. */
  const timeOut = () => api.call(controlOperations.setClock, { body: { advanceMs: endpoint.timeout } });

  it('provides URLs from which SDKs can derive other URLs', () => {
    assert.match(worker.takeUrl, /\/job-take\/.*\?gpu=none&t=[\w-]{32}$/);
    assert.match(worker.doneUrl, /\/job-done\/[a-z0-9]{14}\/\$ID\?gpu=none&t=/);
  });

  it('refuses the requests of an earlier process of the worker', async () => {
    const { id } = await api.run(endpoint, { n: 1 });
    assert.deepEqual(await worker.take(), { id, input: { n: 1 } });
    // The worker requests a restart with its result.
    await worker.done(id, JSON.stringify({ output: 1, stopPod: true }));
    const printed = await api.logsUntil(
      endpoint,
      worker.id,
      ({ line }) => line.includes('/job-take/') && line !== worker.takeUrl,
    );
    const takeUrl = printed.at(-1)?.line ?? '';
    assert.equal(await worker.ping(), 401);
    assert.equal(await worker.done(id, '{}'), 401);
    assert.equal((await fetch(takeUrl.replace('job-take', 'ping'))).status, 200);
  });

  it('reports a worker as INITIALIZING until its first job request, and then as IDLE', async () => {
    await api.worker(endpoint, 'INITIALIZING');
    const taken = worker.take();
    assert.equal((await api.worker(endpoint, 'IDLE')).id, worker.id);
    await api.run(endpoint, { n: 1 });
    await taken;
  });

  it('logs if a worker has not requested a job for a long time', async () => {
    // The worker may request a job before its start is recorded and its time limit begins.
    await api.logsUntil(endpoint, worker.id, ({ line }) => /^process \d+ started$/.test(line));
    await api.call(controlOperations.setClock, { body: { advanceMs: 60_000 } });
    await api.logsUntil(endpoint, worker.id, ({ line }) => line.includes('it has not requested a job'));
  });

  it('holds a job request until there is a job, and delivers the complete job', async () => {
    const taken = worker.take();
    await api.worker(endpoint, 'IDLE');
    const { id } = await api.run(endpoint, { a: 1 }, { webhook: 'http://127.0.0.1:9/', extra: true });
    assert.deepEqual(await taken, { id, input: { a: 1 }, webhook: 'http://127.0.0.1:9/', extra: true });
    assert.equal((await api.job(endpoint, id)).status, 'IN_PROGRESS');
  });

  it('delivers several jobs at once as an array, even for a single job', async () => {
    const first = await api.run(endpoint, { n: 1 });
    assert.deepEqual(await worker.takeBatch(3), [{ id: first.id, input: { n: 1 } }]);
    const [second, third] = [await api.run(endpoint, { n: 2 }), await api.run(endpoint, { n: 3 })];
    const ids = (await worker.takeBatch(3, 1)).map(({ id }) => id);
    assert.deepEqual(ids, [second.id, third.id]);
  });

  it('parses results as JSON regardless of their content type, once', async () => {
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: 'the secret of another worker',
    };
    assert.equal(await worker.done(id, '{"output": {"ok": true}}', headers), 200);
    assert.equal(await worker.done(id, '{"error": "too late"}'), 200);
    assert.equal(await worker.done(id, '{"status": "IN_PROGRESS", "output": "late progress"}'), 200);
    const job = await api.job(endpoint, id);
    assert.deepEqual([job.status, job.output], ['COMPLETED', { ok: true }]);
  });

  it('fails a job whose result contains NaN, with a message', async () => {
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    assert.equal(await worker.done(id, '{"output": NaN}'), 200);
    const job = await api.job(endpoint, id);
    assert.equal(job.status, 'FAILED');
    assert.match(String(job.error), /NaN/);
  });

  it('ignores a progress report that contains NaN, logs a warning, and accepts the result', async () => {
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    assert.equal(await worker.done(id, '{"status": "IN_PROGRESS", "output": {"loss": NaN}}'), 200);
    assert.equal((await api.job(endpoint, id)).status, 'IN_PROGRESS');
    await api.logsUntil(endpoint, worker.id, ({ line }) => /progress report .* was omitted: .*NaN/.test(line));
    await worker.done(id, '{"output": 1}');
    assert.equal((await api.job(endpoint, id)).output, 1);
  });

  it('fails a job whose result is nested too deeply to be serialized, with a message', async () => {
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    assert.equal(await worker.done(id, `{"output": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`), 200);
    assert.match(String((await api.job(endpoint, id)).error), /nested more than 1000 levels/);
  });

  it('fails a job without a result when its worker requests the next', async () => {
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    const next = worker.take();
    const job = await api.jobWithStatus(endpoint, id, 'FAILED');
    assert.match(String(job.error), /without a result/);
    await api.run(endpoint, { n: 2 });
    await next;
  });

  it('fails a job that is missing from three consecutive heartbeats', async () => {
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    await worker.ping(id);
    await eventually('the job has failed', async () => {
      await worker.ping();
      return (await api.job(endpoint, id)).status === 'FAILED';
    });
  });

  it('tells a worker which jobs to drop', async () => {
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    const stops = worker.jobsToStop();
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    assert.deepEqual(await stops, [id]);
    assert.equal(await worker.done(id, '{"output": 1}'), 200);
    assert.equal((await api.job(endpoint, id)).status, 'CANCELLED');
  });

  it('requeues a job if its worker hangs up before the response', async () => {
    const hangUp = new AbortController();
    const abandoned = worker.take(hangUp.signal).catch(() => undefined);
    await api.worker(endpoint, 'IDLE');
    hangUp.abort();
    await abandoned;
    const { id } = await api.run(endpoint, { n: 1 });
    const taken = (await worker.take()) as { id: string };
    assert.equal(taken.id, id);
  });

  it('drains output chunks', async () => {
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    const stream = () => api.call(operations.streamJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    const waiting = stream();
    await worker.chunk(id, 'a');
    assert.deepEqual(await waiting, { status: 'IN_PROGRESS', stream: [{ output: 'a' }] });
    await worker.chunk(id, 'b');
    await worker.chunk(id, 'c');
    await worker.done(id, '{"output": []}');
    assert.deepEqual(await stream(), { status: 'COMPLETED', stream: [{ output: 'b' }, { output: 'c' }] });
    assert.deepEqual(await stream(), { status: 'COMPLETED', stream: [] });
  });

  it('replaces the process of a worker on request', async () => {
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    await worker.done(id, '{"output": 1, "stopPod": true}');
    await api.worker(endpoint, 'INITIALIZING');
    await eventually('the worker runs again', async () => (await api.workers(endpoint))[0]?.startedAt);
    assert.equal((await api.workers(endpoint))[0]?.id, worker.id);
  });

  it('refuses a wrong secret and an unknown worker', async () => {
    assert.equal((await fetch(worker.takeUrl.replace(/t=.*/, 't=wrong'))).status, 401);
    assert.equal((await fetch(worker.takeUrl.replace(worker.id, 'nope'))).status, 401);
  });

  it('accepts the secret in the Authorization header, as SDKs send it', async () => {
    const [address = '', secret = ''] = worker.takeUrl.replace('job-take', 'ping').split('&t=');
    const statusWith = async (header: string) => (await fetch(address, { headers: { Authorization: header } })).status;
    assert.deepEqual([await statusWith(secret), await statusWith(`Bearer ${secret}`)], [200, 200]);
    assert.deepEqual([await statusWith('wrong'), (await fetch(address)).status], [401, 401]);
  });

  it('refuses the secret from another address than the first request of the worker', async function () {
    // Other systems have only one loopback address.
    if (process.platform !== 'linux') this.skip();
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    const url = `${worker.doneUrl.replace('$ID', id)}&isStream=false`;
    const forged = http.request(url, { method: 'POST', localAddress: '127.0.0.2' }).end('{"output": "FORGED"}');
    const [response] = (await once(forged, 'response')) as [http.IncomingMessage];
    response.resume();
    assert.equal(response.statusCode, 401);
    assert.equal((await api.job(endpoint, id)).status, 'IN_PROGRESS');
    assert.equal(await worker.done(id, '{"output": 1}'), 200);
    assert.equal((await api.job(endpoint, id)).output, 1);
  });

  it('replaces an idle worker that has stopped requesting jobs while a job waits', async () => {
    const { api: fast } = await platformForTest({ clock: fastClock });
    const stuck = await fast.createEndpoint({ workers: { min: 1, max: 1 }, cmd: [process.execPath, 'puppet.mjs'] });
    const silent = await puppet(fast, stuck);
    const { id } = await fast.run(stuck, { n: 1 });
    await silent.take();
    await silent.done(id, '{"output": 1}');
    await fast.run(stuck, { n: 2 });
    const logs = await fast.logsUntil(stuck, silent.id, ({ line }) => line.startsWith('restart worker'));
    assert.match(logs.at(-1)?.line ?? '', /stopped requesting jobs although jobs are waiting/);
  });

  it('lets a busy worker above a lowered maximum finish, without another job', async () => {
    const many = await api.createEndpoint({ workers: { min: 2, max: 2 }, cmd: [process.execPath, 'puppet.mjs'] });
    const ids = await eventually('both jobs run', async () => {
      const workers = await api.workers(many);
      return workers.length === 2 && workers.map(({ id }) => id);
    });
    const both = await Promise.all(ids.map((id) => puppet(api, many, id)));
    for (const each of both) {
      const { id } = await api.run(many, { id: each.id });
      assert.equal(((await each.take()) as { id: string }).id, id);
    }
    await api.call(operations.updateEndpoint, {
      parameters: { id: many.id },
      body: { workers: { min: 0, max: 1 } },
    });
    const questions = both.map((each) => each.takeBatch(1, 1));
    const noted = ids.map((id) =>
      api.logsUntil(many, id, ({ line }) => line.includes('maximum number of workers was reduced')),
    );
    await Promise.any(noted);
    const [first, second] = [await api.run(many, { n: 1 }), await api.run(many, { n: 2 })];
    await Promise.any(questions.map((question) => question.then(([job]) => assert.equal(job?.id, first.id))));
    assert.equal((await api.job(many, second.id)).status, 'IN_QUEUE');
    assert.deepEqual(
      (await api.workers(many)).map(({ status }) => status),
      ['RUNNING', 'RUNNING'],
    );
  });

  describe('for a retried job that its former worker still holds', () => {
    let former: Puppet;
    let present: Puppet;
    let id: string;

    beforeEach(async () => {
      endpoint = await api.createEndpoint({ workers: { min: 2, max: 2 }, cmd: [process.execPath, 'puppet.mjs'] });
      const ids = await eventually('both jobs run', async () => {
        const workers = await api.workers(endpoint);
        return workers.length === 2 && workers.map((each) => each.id);
      });
      [former, present] = (await Promise.all(ids.map((each) => puppet(api, endpoint, each)))) as [Puppet, Puppet];
      ({ id } = await api.run(endpoint, { n: 1 }));
      await former.take();
      const dropped = former.jobsToStop();
      await timeOut();
      assert.deepEqual(await dropped, [id]);
      const next = present.take();
      await api.call(operations.retryJob, { parameters: { endpointId: endpoint.id, jobId: id } });
      await next;
    });

    it('keeps the job with its current worker', async () => {
      const question = former.take();
      assert.equal((await api.job(endpoint, id)).workerId, present.id);
      assert.equal((await api.job(endpoint, id)).status, 'IN_PROGRESS');
      assert.equal(await present.done(id, '{"output": 1}'), 200);
      assert.equal((await api.job(endpoint, id)).status, 'COMPLETED');
      await api.run(endpoint, { n: 2 });
      await question;
    });

    it('tells the current worker to drop a canceled job', async () => {
      const dropped = present.jobsToStop();
      await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: id } });
      assert.deepEqual(await dropped, [id]);
    });
  });

  describe('for a retried job whose first attempt the same worker still runs', () => {
    let id: string;
    let other: string;

    beforeEach(async () => {
      ({ id } = await api.run(endpoint, { n: 1 }));
      await worker.take();
      const dropped = worker.jobsToStop();
      await timeOut();
      assert.deepEqual(await dropped, [id]);
      const parameters = { endpointId: endpoint.id, jobId: id };
      assert.equal((await api.call(operations.retryJob, { parameters })).status, 'IN_QUEUE');
      ({ id: other } = await api.run(endpoint, { n: 2 }));
      assert.deepEqual(await worker.takeBatch(2, 1), [{ id: other, input: { n: 2 } }], 'gets only the other job');
    });

    const stream = async () =>
      (await api.call(operations.streamJob, { parameters: { endpointId: endpoint.id, jobId: id } })).stream;

    it('ignores all late reports, and then delivers the second attempt', async () => {
      await worker.chunk(id, 'first');
      await worker.done(id, JSON.stringify({ status: 'IN_PROGRESS', output: 'first' }));
      assert.equal(await worker.done(id, '{"output": "first"}'), 200);
      const waiting = await api.job(endpoint, id);
      assert.deepEqual([waiting.status, waiting.output], ['IN_QUEUE', undefined]);
      assert.deepEqual(await worker.takeBatch(1, 1), [{ id, input: { n: 1 } }]);
      await worker.chunk(id, 'second');
      assert.deepEqual(await stream(), [{ output: 'second' }]);
      await worker.done(id, '{"output": "second"}');
      assert.equal((await api.job(endpoint, id)).output, 'second');
      await worker.done(other, '{"output": 2}');
      assert.equal((await api.job(endpoint, other)).status, 'COMPLETED');
    });

    it('delivers the second attempt after one heartbeat that does not name the job', async () => {
      await worker.ping(`${id},${other}`);
      const { id: third } = await api.run(endpoint, { n: 3 });
      assert.deepEqual(
        (await worker.takeBatch(3, 1)).map((job) => job.id),
        [third],
        'still runs the first attempt',
      );
      const next = worker.takeBatch(1, 1);
      await worker.ping(`${other},${third}`);
      assert.deepEqual(await next, [{ id, input: { n: 1 } }]);
      assert.equal((await api.job(endpoint, other)).status, 'IN_PROGRESS');
    });

    it('delivers the second attempt to a worker that reports that it has no jobs', async () => {
      assert.deepEqual(await worker.take(), { id, input: { n: 1 } });
    });
  });

  describe('for a canceled job', () => {
    let id: string;
    const cancel = () => api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    const restarted = async () => (await api.workers(endpoint))[0]?.status === 'INITIALIZING';

    beforeEach(async () => {
      ({ api } = await platformForTest({ clock: fastClock }));
      endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 }, cmd: [process.execPath, 'puppet.mjs'] });
      worker = await puppet(api, endpoint);
      ({ id } = await api.run(endpoint, { n: 1 }));
    });

    it('replaces a process that does not drop it, even after repeated cancellations', async () => {
      await worker.take();
      await eventually('the process is replaced', async () => {
        await cancel();
        return restarted();
      });
    });

    it('replaces a process that does not drop it, even while the clock is stopped', async () => {
      await worker.take();
      await api.call(controlOperations.setClock, { body: { frozen: true } });
      await cancel();
      await eventually('the process is replaced', restarted);
    });
  });

  it('tells a worker between two requests to drop the job on its next request', async () => {
    const hangUp = new AbortController();
    const question = worker.jobsToStop(hangUp.signal).catch(() => undefined);
    const { id } = await api.run(endpoint, { n: 1 });
    await worker.take();
    hangUp.abort();
    await question;
    await timeOut();
    assert.deepEqual(await worker.jobsToStop(), [id]);
  });

  it('deletes a job when its time to live ends', async () => {
    const { api: fast } = await platformForTest({ clock: fastClock });
    const paused = await fast.createEndpoint({ workers: { min: 0, max: 0 } });
    const { id } = await fast.run(paused, { n: 1 });
    const parameters = { endpointId: paused.id, jobId: id };
    const shortened = await fast.call(operations.getJobStatus, { parameters, query: { ttl: 10_000 } });
    assert.equal(shortened.status, 'IN_QUEUE');
    await fast.refused(400, operations.getJobStatus, { parameters, query: { ttl: 1 } });
  });
});
