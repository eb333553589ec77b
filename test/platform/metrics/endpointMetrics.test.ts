import assert from 'node:assert/strict';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import { WORKER_ID_HEADER } from '../../../src/contract/route.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { balanced, Routes } from '../balancerSupport.ts';
import { Api, cleanUp, dataDirectory, eventually, otherAccount, platformForTest } from '../support.ts';

const HOUR_MS = 3_600_000;

/** Returns the metrics from an hour before a time until an hour after it. */
async function metricsOf(api: Api, { id: endpointId }: Endpoint, query: Record<string, string | number> = {}) {
  const { now } = await api.call(controlOperations.getClock);
  return api.call(controlOperations.getEndpointMetrics, {
    parameters: { endpointId },
    query: { start: at(now, -HOUR_MS), end: at(now, HOUR_MS), ...query },
  });
}

const at = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

describe('Metrics of a platform', () => {
  afterEach(cleanUp);

  it('count the jobs of a worker and their durations, and weight its states by time', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint();
    for (const value of [1, 2]) await api.runSync(endpoint, { do: 'echo', value });
    const { total, points, step } = await metricsOf(api, endpoint);
    assert.equal(step, 10);
    assert.equal(total.arrivals, 2);
    assert.deepEqual(total.outcomes, { COMPLETED: 2 });
    for (const name of ['queueDelay', 'execution', 'endToEnd'] as const) assert.equal(total[name]?.count, 2, name);
    assert.equal(total.coldStart?.count, 1);
    assert.ok((total.maxQueueDepth ?? 0) >= 1);
    assert.ok((total.workers?.initializing ?? 0) > 0);
    assert.ok((total.spendUsd ?? 0) > 0);
    assert.ok((total.logBytes ?? 0) > 0);
    assert.ok(points.length >= 1 && points.length <= 60);
    const sum = points.reduce((arrivals, point) => arrivals + (point.arrivals ?? 0), 0);
    assert.equal(sum, 2);
  });

  it('show an idle worker while the clock advances, and nothing while the platform does not run', async () => {
    const dataDir = await dataDirectory();
    const { api, platform } = await platformForTest({ dataDir });
    const endpoint = await api.createEndpoint();
    await api.worker(endpoint, 'IDLE');
    await api.call(controlOperations.setClock, { body: { frozen: true } });
    await api.call(controlOperations.setClock, { body: { advanceMs: 600_000 } });
    const { points } = await metricsOf(api, endpoint);
    assert.ok(points.length >= 60);
    for (const point of points.slice(2, -1)) assert.ok((point.workers?.idle ?? 0) > 0.99, point.at);
    const { now } = await api.call(controlOperations.getClock);
    await platform.close();

    const { api: next } = await platformForTest({ dataDir });
    const { points: later } = await metricsOf(next, endpoint, { start: at(now, -300_000), end: at(now, HOUR_MS) });
    assert.ok(later.some((point) => Date.parse(point.at) <= Date.parse(now)));
    assert.ok(later.every((point) => Date.parse(point.at) <= Date.parse(now)));
  });

  it('mark releases and crashes, and can be those of one release', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint();
    await api.run(endpoint, { do: 'die' });
    const { markers } = await eventually('a crash is marked', async () => {
      const metrics = await metricsOf(api, endpoint);
      return metrics.markers.some(({ kind }) => kind === 'crash') && metrics;
    });
    assert.equal(markers[0]?.kind, 'release');
    assert.equal(markers[0].release, 1);
    assert.ok(markers.find(({ kind }) => kind === 'crash')?.workerId);
    const { total } = await metricsOf(api, endpoint, { release: 2 });
    assert.equal(total.arrivals, undefined);
  });

  it('of a load-balanced endpoint have latencies, and responses by class', async () => {
    const { api } = await platformForTest();
    const routes = new Routes(api, await api.createEndpoint(balanced()));
    await routes.echo();
    await routes.fetch('/status/404');
    const { total } = await eventually('all responses are measured', async () => {
      const metrics = await metricsOf(api, routes.endpoint);
      return metrics.total.latency?.count === 2 && metrics;
    });
    assert.deepEqual(total.responses, { '2xx': 1, '4xx': 1 });
    assert.equal(total.arrivals, 2);
    assert.ok((total.latency?.p50 ?? 0) > 0);
    assert.equal(total.outcomes, undefined);
  });

  it('of a load-balanced endpoint without workers count refused and disconnected requests', async () => {
    const { api } = await platformForTest();
    const routes = new Routes(api, await api.createEndpoint(balanced({ workers: { min: 0, max: 0 } })));
    const controller = new AbortController();
    const waiting = routes.fetch('/echo', { signal: controller.signal }).catch(() => undefined);
    await eventually(
      'the request waits',
      async () => (await metricsOf(api, routes.endpoint)).total.maxQueueDepth === 1,
    );
    controller.abort();
    await waiting;
    const refused = await routes.fetch('/echo', { headers: { [WORKER_ID_HEADER]: 'strict gone' } });
    await refused.text();
    const { total } = await eventually('both are measured', async () => {
      const metrics = await metricsOf(api, routes.endpoint);
      return metrics.total.latency?.count === 2 && metrics;
    });
    assert.deepEqual(total.responses, { refused: 1, disconnected: 1 });
    assert.equal(total.arrivals, 2);
  });

  it('are those of the endpoints that a key may read', async () => {
    const { api } = await platformForTest({ allowProcessEndpoints: true });
    const other = await otherAccount(api);
    const own = await other.createEndpoint({ workers: { min: 0, max: 1 } });
    const foreign = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    const query = { start: '2026-03-01T00:00:00Z', end: '2026-03-01T01:00:00Z' };
    const { getEndpointMetrics, listEndedJobs } = controlOperations;
    for (const row of [getEndpointMetrics, listEndedJobs]) {
      await other.call(row, { parameters: { endpointId: own.id }, query });
      await api.call(row, { parameters: { endpointId: own.id }, query });
      await other.refused(404, row, { parameters: { endpointId: foreign.id }, query });
      const { key } = await api.call(controlOperations.createApiKey, { body: { name: 'k', permissions: ['invoke'] } });
      const limited = new Api({ ...api.addresses, apiKey: key });
      await limited.refused(403, row, { parameters: { endpointId: foreign.id }, query });
      await new Api({ ...api.addresses, apiKey: 'wrong' }).refused(401, row, {
        parameters: { endpointId: own.id },
        query,
      });
    }
  });

  it('belong to an endpoint that exists, and have a period', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    const period = { start: '2026-03-01T00:00:00Z', end: '2026-03-01T01:00:00Z' };
    const { getEndpointMetrics } = controlOperations;
    await api.refused(404, getEndpointMetrics, { parameters: { endpointId: 'other' }, query: period });
    const parameters = { endpointId: endpoint.id };
    await api.refused(422, getEndpointMetrics, { parameters, query: { ...period, end: period.start } });
    await api.refused(422, getEndpointMetrics, { parameters, query: { start: period.start } });
  });
});

describe('Ended jobs of a period', () => {
  afterEach(cleanUp);

  it('are those that took longest, first', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint();
    for (const lines of [1, 3, 2]) await api.runSync(endpoint, { do: 'print', lines });
    const { now } = await api.call(controlOperations.getClock);
    const list = (query: object = {}, parameters = { endpointId: endpoint.id }) =>
      api.call(controlOperations.listEndedJobs, {
        parameters,
        query: { start: at(now, -HOUR_MS), end: at(now, HOUR_MS), ...query },
      });
    const { jobs } = await list();
    assert.equal(jobs.length, 3);
    const durations = jobs.map((job) => Date.parse(job.finishedAt) - Date.parse(job.createdAt));
    assert.deepEqual(
      durations,
      durations.toSorted((one, other) => other - one),
    );
    assert.ok(jobs.every((job) => job.status === 'COMPLETED' && job.release === 1 && job.workerId !== undefined));
    assert.deepEqual((await list({ limit: 1 })).jobs, jobs.slice(0, 1));
    assert.deepEqual((await list({ end: at(now, -60_000) })).jobs, []);
    await api.refused(404, controlOperations.listEndedJobs, {
      parameters: { endpointId: 'other' },
      query: { start: now, end: at(now, 1) },
    });
  });
});
