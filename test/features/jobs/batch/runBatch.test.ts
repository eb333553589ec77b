import assert from 'node:assert/strict';
import type { Endpoint } from '../../../../src/contract/endpoint.ts';
import { operations } from '../../../../src/contract/operations.ts';
import { readJournal } from '../../../../src/features/jobs/batch/journal.ts';
import { startScriptedServer } from '../../../client/scriptedServer.ts';
import { cleanUp, eventually, platformForTest, type Api } from '../../../platform/support.ts';
import { batchPlatform, clientTo, createBatch, openRunner, reply } from './batchSupport.ts';

const lines = (rows: number, input: (row: number) => object = (value) => ({ do: 'echo', value })): string =>
  Array.from({ length: rows }, (_, index) => `${JSON.stringify(input(index + 1))}\n`).join('');
const countsOf = async (api: Api, endpoint: Endpoint) =>
  (await api.call(operations.getEndpointHealth, { parameters: { endpointId: endpoint.id } })).jobs;

describe('a batch on a platform', () => {
  afterEach(cleanUp);

  it('runs each row as one job and stores each result', async () => {
    const { api, platform } = await platformForTest();
    const endpoint = await api.createEndpoint();
    const input = (row: number) => (row % 10 === 0 ? { do: 'fail' } : { do: 'echo', value: row });
    const folder = await createBatch(endpoint.id, 'rows.jsonl', lines(50, input));
    const runner = await openRunner(folder, batchPlatform(clientTo(platform.announcement)).platform);
    assert.equal(await runner.run(), 'done');
    const { counts, rows } = runner.progress;
    assert.deepEqual([rows, counts.completed, counts.failed], [50, 45, 5]);
    assert.deepEqual(await countsOf(api, endpoint), {
      completed: 45,
      failed: 5,
      inProgress: 0,
      inQueue: 0,
      retried: 0,
    });
    const { state } = await readJournal(folder);
    assert.deepEqual([state.stop, state.left, state.rowsIn('failed')], ['done', 0, [10, 20, 30, 40, 50]]);
  });

  it('bounds the number of jobs in flight, and can be paused and canceled', async () => {
    const { api, platform } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const folder = await createBatch(endpoint.id, 'rows.jsonl', lines(30));
    const runner = await openRunner(folder, batchPlatform(clientTo(platform.announcement)).platform, {
      maxInFlight: 4,
    });
    const run = runner.run();
    await eventually('jobs are in flight', () => runner.progress.counts.accepted === 4);
    assert.equal((await countsOf(api, endpoint)).inQueue, 4);
    runner.pause();
    runner.cancel('cancel');
    assert.equal(await run, 'canceled');
    assert.deepEqual([runner.state.counts.canceled, runner.state.counts.pending], [4, 26]);
    assert.equal((await countsOf(api, endpoint)).inQueue, 0);
  });

  it('leaves the jobs in flight on the platform if asked, and finds them when it is resumed', async () => {
    const { api, platform } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const folder = await createBatch(endpoint.id, 'rows.jsonl', lines(10));
    const { platform: batch } = batchPlatform(clientTo(platform.announcement));
    const first = await openRunner(folder, batch, { maxInFlight: 4 });
    const run = first.run();
    await eventually('jobs are in flight', () => first.progress.counts.accepted === 4);
    first.cancel('leave');
    assert.equal(await run, 'canceled');
    assert.equal((await countsOf(api, endpoint)).inQueue, 4);
    await api.call(operations.updateEndpoint, {
      parameters: { id: endpoint.id },
      body: { workers: { min: 1, max: 1 } },
    });
    const second = await openRunner(folder, batch);
    assert.equal(await second.run(), 'done');
    assert.equal((await countsOf(api, endpoint)).completed, 10);
  });

  it('waits while its platform cannot be called, and continues with the same rows', async () => {
    const { api, platform } = await platformForTest();
    const endpoint = await api.createEndpoint();
    const folder = await createBatch(endpoint.id, 'rows.jsonl', lines(200));
    const client = clientTo(platform.announcement);
    const { platform: batch, use } = batchPlatform();
    const runner = await openRunner(folder, batch);
    const run = runner.run();
    await eventually('it waits', () => runner.progress.obstacle?.kind === 'disconnected');
    use(client);
    await eventually('rows have ended', () => runner.progress.counts.completed > 10);
    use(undefined);
    await eventually('it waits again', () => runner.progress.obstacle?.kind === 'disconnected');
    use(client);
    assert.equal(await run, 'done');
    assert.equal((await countsOf(api, endpoint)).completed, 200);
  });

  it('follows the jobs of a killed runner and repeats its requests with the same keys', async () => {
    const { api, platform } = await platformForTest();
    const endpoint = await api.createEndpoint();
    const folder = await createBatch(endpoint.id, 'rows.jsonl', lines(300));
    const { platform: batch } = batchPlatform(clientTo(platform.announcement));
    for (const rows of [20, 100, 150]) {
      const killed = await openRunner(folder, batch);
      const run = killed.run();
      await eventually('rows have ended', () => killed.progress.counts.completed > rows);
      await killed.drop();
      assert.equal(await run, undefined);
    }
    const last = await openRunner(folder, batch);
    assert.equal(await last.run(), 'done');
    assert.equal(last.progress.counts.completed, 300);
    assert.equal((await countsOf(api, endpoint)).completed, 300);
  });
});

describe('a batch on a hosted platform', () => {
  afterEach(cleanUp);

  const status = (path: string): string => decodeURIComponent(path.split('/').at(-1) ?? '');

  it('does not repeat a request whose response was lost', async () => {
    const submitted: string[] = [];
    await using server = await startScriptedServer(({ path, body }, response) => {
      if (path.endsWith('/health'))
        return reply(response, 200, { jobs: HEALTH_JOBS, workers: { idle: 0, running: 0 } });
      if (!path.endsWith('/run')) return reply(response, 200, { id: status(path), status: 'COMPLETED', output: 1 });
      submitted.push(body);
      if (body.includes('"value":2')) return void response.destroy();
      return reply(response, 200, { id: `job-${submitted.length}`, status: 'IN_QUEUE' });
    });
    const folder = await createBatch('e', 'rows.jsonl', lines(5));
    const { platform } = batchPlatform(clientTo(server.connection, false));
    const runner = await openRunner(folder, platform, { maxInFlight: 1 });
    assert.equal(await runner.run(), 'done');
    assert.deepEqual([runner.progress.counts.completed, runner.state.rowsIn('uncertain')], [4, [2]]);
    assert.equal(submitted.length, 5);
  });

  it('does not repeat the requests of a killed runner', async () => {
    const arrived = Promise.withResolvers<void>();
    const submitted: string[] = [];
    await using server = await startScriptedServer(({ path, body }, response) => {
      if (path.endsWith('/run')) submitted.push(body);
      if (!path.endsWith('/run')) return reply(response, 200, { id: status(path), status: 'COMPLETED' });
      if (submitted.length > 1) return reply(response, 200, { id: `job-${submitted.length}`, status: 'IN_QUEUE' });
      arrived.resolve();
      return undefined;
    });
    const folder = await createBatch('e', 'rows.jsonl', lines(3));
    const { platform } = batchPlatform(clientTo(server.connection, false));
    const killed = await openRunner(folder, platform, { maxInFlight: 1 });
    void killed.run();
    await arrived.promise;
    await killed.drop();
    const second = await openRunner(folder, platform, { maxInFlight: 1 });
    assert.equal(await second.run(), 'done');
    assert.deepEqual([second.state.rowsIn('uncertain'), second.progress.counts.completed], [[1], 2]);
    assert.equal(submitted.length, 3);
  });

  it('waits for a rate limit and reduces the number of jobs in flight', async () => {
    let refusals = 3;
    const submitted = new Set<string>();
    await using server = await startScriptedServer(({ path, body }, response) => {
      if (!path.endsWith('/run')) return reply(response, 200, { id: status(path), status: 'COMPLETED' });
      if (refusals-- > 0) return reply(response, 429, { error: 'too many requests' });
      assert.ok(!submitted.has(body), 'a row is submitted once');
      submitted.add(body);
      return reply(response, 200, { id: `job-${submitted.size}`, status: 'IN_QUEUE' });
    });
    const folder = await createBatch('e', 'rows.jsonl', lines(5));
    const { platform } = batchPlatform(clientTo(server.connection, false));
    const runner = await openRunner(folder, platform, { maxInFlight: 3 });
    assert.equal(await runner.run(), 'done');
    assert.equal(runner.progress.counts.completed, 5);
  });

  it('lists rows that the platform refuses as failed', async () => {
    await using server = await startScriptedServer((_, response) => reply(response, 400, { error: 'no such policy' }));
    const folder = await createBatch('e', 'rows.jsonl', lines(3));
    const { platform } = batchPlatform(clientTo(server.connection, false));
    const runner = await openRunner(folder, platform);
    assert.equal(await runner.run(), 'done');
    assert.equal(runner.progress.counts.failed, 3);
  });
});

const HEALTH_JOBS = { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 };
