// Clauses of the interface: Endpoints 9; Events 1 and 2; Events 3.
import assert from 'node:assert/strict';
import path from 'node:path';
import { operations } from '../../src/contract/operations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { cleanUp, dataDirectory, logEvents, platformForTest, type Api, type ReceivedLog } from './support.ts';

describe('Worker logs', () => {
  let api: Api;
  let endpoint: Endpoint;
  let workerId: string;
  const isLast = ({ line }: ReceivedLog): boolean => line === 'line 50';

  before(async () => {
    ({ api } = await platformForTest());
    endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    workerId = (await api.worker(endpoint, 'IDLE')).id;
    await api.runSync(endpoint, { do: 'print', lines: 50 });
    await api.logsUntil(endpoint, workerId, isLast);
  });

  after(cleanUp);

  it('contain stdout as container lines and lifecycle events as system lines, with increasing timestamps as IDs', async () => {
    const events = await api.logsUntil(endpoint, workerId, isLast);
    assert.ok(events.some(({ source, line }) => source === 'system' && line === 'worker is ready'));
    assert.equal(events.filter(({ source, line }) => source === 'container' && line.startsWith('line ')).length, 50);
    for (const [index, { id, ts }] of events.entries()) {
      assert.equal(id, ts);
      assert.match(id, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
      assert.ok(index === 0 || id > (events[index - 1]?.id ?? ''), 'the IDs increase');
    }
  });

  it('quote a multiline command on one line, so that it imitates no line of the system, and can be resumed from each', async () => {
    const script = "/*\nworker is ready\n*/ console.log('first'); console.log('last')\nsetInterval(() => {}, 1e6)";
    const several = await api.createEndpoint({ cmd: [process.execPath, '-e', script], workers: { min: 1, max: 1 } });
    const [worker] = await api.workers(several);
    const read = (headers = {}) => api.logsUntil(several, worker?.id ?? '', ({ line }) => line === 'last', { headers });
    const all = await read();
    assert.ok(all.some(({ line }) => line.startsWith('start ') && line.includes(String.raw`/*\nworker is ready\n*/`)));
    assert.ok(!all.some(({ line }) => line.startsWith('worker is ready')));
    for (const [index, { id }] of all.slice(0, -1).entries()) {
      assert.deepEqual(await read({ 'Last-Event-ID': id }), all.slice(index + 1));
    }
  });

  it('can be filtered by source, and start with the requested tail', async () => {
    const tail = await api.logsUntil(endpoint, workerId, isLast, { query: { source: 'container', tail: 3 } });
    assert.deepEqual(
      tail.map(({ line }) => line),
      ['line 48', 'line 49', 'line 50'],
    );
  });

  it('resume after Last-Event-ID, which overrides since and tail', async () => {
    const all = await api.logsUntil(endpoint, workerId, isLast);
    const cursor = all.at(-3)?.id ?? '';
    const since = all[0]?.id ?? '';
    const resumed = await api.logsUntil(endpoint, workerId, isLast, {
      query: { since, tail: 1 },
      headers: { 'Last-Event-ID': cursor },
    });
    assert.deepEqual(resumed, all.slice(-2));
    const fromSince = await api.logsUntil(endpoint, workerId, isLast, { query: { since, tail: 1 } });
    assert.deepEqual(fromSince, all.slice(1));
    const empty = { query: { since, tail: 1 }, headers: { 'Last-Event-ID': '' } };
    assert.deepEqual(await api.logsUntil(endpoint, workerId, isLast, empty), all.slice(1));
  });

  for (const tail of [5001, -1, 1.5, 'many', '']) {
    it(`ignore a tail of '${tail}' if since is given`, async () => {
      const all = await api.logsUntil(endpoint, workerId, isLast);
      const since = all[0]?.id ?? '';
      assert.deepEqual(await api.logsUntil(endpoint, workerId, isLast, { query: { since, tail } }), all.slice(1));
    });

    it(`ignore a tail of '${tail}', and since, if Last-Event-ID is given`, async () => {
      const all = await api.logsUntil(endpoint, workerId, isLast);
      const headers = { 'Last-Event-ID': all.at(-2)?.id ?? '' };
      const query = { since: 'yesterday', tail };
      assert.deepEqual(await api.logsUntil(endpoint, workerId, isLast, { query, headers }), all.slice(-1));
    });
  }

  it('resume from every form of RFC 3339', async () => {
    const all = await api.logsUntil(endpoint, workerId, isLast);
    const since = (all[0]?.id ?? '').toLowerCase();
    assert.deepEqual(await api.logsUntil(endpoint, workerId, isLast, { query: { since } }), all.slice(1));
    const leap = { query: { since: '2016-12-31T23:59:60Z' } };
    assert.deepEqual(await api.logsUntil(endpoint, workerId, isLast, leap), all);
    const headers = { 'Last-Event-ID': '0000-01-01t00:00:00-01:00' };
    assert.deepEqual(await api.logsUntil(endpoint, workerId, isLast, { headers }), all);
  });

  it('are streamed live without a gap after the backfill', async () => {
    const response = await api.fetch(operations.getWorkerLogs, {
      parameters: { id: endpoint.id, workerId },
      query: { tail: 0 },
    });
    assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
    assert.equal(response.headers.get('Cache-Control'), 'no-cache');
    assert.equal(response.headers.get('X-Accel-Buffering'), 'no');
    const running = api.runSync(endpoint, { do: 'print', lines: 3_000 });
    const lines: string[] = [];
    for await (const { line } of logEvents(response)) {
      lines.push(line);
      if (line === 'line 3000') break;
    }
    await running;
    assert.deepEqual(
      lines,
      Array.from({ length: 3_000 }, (_, index) => `line ${index + 1}`),
    );
  });

  it('deliver all missed lines to a slow reader', async () => {
    const response = await api.fetch(operations.getWorkerLogs, {
      parameters: { id: endpoint.id, workerId },
      query: { tail: 0 },
    });
    await api.runSync(endpoint, { do: 'print', lines: 30_000 });
    let next = 1;
    for await (const { line } of logEvents(response)) {
      assert.equal(line, `line ${next++}`);
      if (next > 30_000) break;
    }
    assert.equal(next, 30_001);
  });

  it('keep all lines of an endpoint while another one prints more than all logs may hold', async () => {
    const { api: limited } = await platformForTest({ maxLogBytes: 1_000_000 });
    const [quiet, noisy] = [await limited.createEndpoint(), await limited.createEndpoint()];
    await limited.runSync(quiet, { do: 'print', lines: 1_000 });
    await limited.runSync(noisy, { do: 'print', lines: 200_000 });
    const [of] = await limited.workers(noisy);
    const workerOf = (await limited.workers(quiet))[0]?.id ?? '';
    await limited.logsUntil(noisy, of?.id ?? '', ({ line }) => line.includes('were dropped: the logs of all workers'));
    const kept = await limited.logsUntil(quiet, workerOf, ({ line }) => line === 'line 1000', {
      query: { tail: 5000 },
    });
    assert.equal(kept.filter(({ line }) => line.startsWith('line ')).length, 1_000);
  });

  it('refuse unknown workers, tails out of bounds, and invalid cursors', async () => {
    const parameters = { id: endpoint.id, workerId };
    await api.refused(404, operations.getWorkerLogs, { parameters: { ...parameters, workerId: 'nope' } });
    await api.refused(422, operations.getWorkerLogs, { parameters, query: { tail: 5001 } });
    await api.refused(422, operations.getWorkerLogs, { parameters, headers: { 'Last-Event-ID': 'yesterday' } });
    const { errors } = await api.refused(422, operations.getWorkerLogs, {
      parameters,
      query: { since: 'x', tail: -1 },
    });
    assert.match(errors?.join() ?? '', /^\$\.since: must be an RFC 3339 date-time[^$]*$/);
  });

  it('are deleted with their endpoint, including later lines of its worker', async () => {
    const dataDir = await dataDirectory();
    const { platform, api } = await platformForTest({ dataDir });
    const [busy, empty] = [await api.createEndpoint(), await api.createEndpoint({ workers: { min: 0, max: 0 } })];
    await api.worker(busy, 'IDLE');
    await api.run(busy, { do: 'deaf' });
    await api.worker(busy, 'RUNNING');
    for (const { id } of [busy, empty]) await api.call(operations.deleteEndpoint, { parameters: { id } });
    await platform.close();
    const store = openSqliteStore(path.join(dataDir, 'platform.sqlite'));
    const { lines } = store.logs.size();
    store.close();
    assert.equal(lines, 0);
  });

  it('can be read after the worker has ended', async () => {
    const brief = await api.createEndpoint({ workers: { min: 0, max: 1, idleTimeout: 1 } });
    await api.runSync(brief, { do: 'print', lines: 2 });
    const [worker] = await api.workers(brief);
    const id = worker?.id ?? '';
    const events = await api.logsUntil(
      brief,
      id,
      ({ line }) => line.startsWith('process was ended') || line.startsWith('process exited'),
    );
    assert.ok(events.some(({ line }) => line === 'stop worker: scaled down'));
    assert.deepEqual(await api.workers(brief), []);
    const afterwards = await api.logsUntil(brief, id, ({ line }) => line === 'line 2', {
      query: { source: 'container' },
    });
    assert.equal(afterwards.length, 2);
  });
});
