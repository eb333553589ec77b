import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../../src/client/client.ts';
import { LastHours } from '../../../../src/features/endpoints/metrics/actions/lastHour.ts';
import { measuredSource } from '../../../../src/features/endpoints/metrics/actions/metricsSource.ts';
import { MetricsStore } from '../../../../src/features/endpoints/metrics/metricsStore.ts';
import { metricsChart, metricsView } from '../../../../src/features/endpoints/metrics/metricsView.ts';
import { systemClock } from '../../../../src/client/clock.ts';
import { cleanUp, eventually, platformForTest } from '../../../platform/support.ts';
import { LOCAL, TARGET } from '../../../webviews/metrics/sample.ts';

describe('the metrics of a local platform', () => {
  afterEach(cleanUp);

  it('have the jobs that ran, and list them by bucket', async () => {
    const { api, platform } = await platformForTest();
    const endpoint = await api.createEndpoint();
    for (const value of [1, 2]) await api.runSync(endpoint, { do: 'echo', value });
    const client: Client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    const connections = { client, onDidChange: () => ({ dispose: () => undefined }) };
    const store = new MetricsStore({
      ...{ connections, clock: systemClock, endpointId: endpoint.id },
      deployments: () => Promise.resolve(() => undefined),
      source: () => measuredSource(endpoint.id),
    });
    try {
      store.setFocused(true);
      store.setVisible(true);
      await eventually('the metrics are read', () => store.state.reading.value !== undefined);
      assert.equal(store.state.reading.error, undefined);
      const view = metricsView(store.state, TARGET, LOCAL);
      assert.deepEqual([view.summary?.arrivals, view.summary?.completed], [2, 2]);
      assert.deepEqual(view.releases, [1]);
      const chart = metricsChart(store.state);
      assert.ok(chart);
      const jobs = chart.columns.COMPLETED?.findIndex((value) => value !== null && value > 0) ?? -1;
      assert.ok(jobs >= 0);
      assert.ok(
        chart.gaps.every(([from]) => from >= jobs),
        'the time before the endpoint existed is not a gap',
      );
      const start = chart.start + jobs * chart.step;
      await store.listJobs({ start, end: start + 2 * chart.step });
      const listed = metricsView(store.state, TARGET, LOCAL).jobs?.list;
      assert.equal(listed?.length, 2);
      assert.ok(listed.every(({ status, release }) => status === 'COMPLETED' && release === 1));
      store.select({ compare: 'before' });
      await eventually('the comparison is read', () => store.state.compared.value !== undefined);
      assert.equal(store.state.compared.error, undefined);
    } finally {
      store.dispose();
    }
  });

  it('have the last hour for a tooltip, with one request in ten seconds', async () => {
    const { api, platform } = await platformForTest();
    const endpoint = await api.createEndpoint();
    await api.runSync(endpoint, { do: 'echo', value: 1 });
    let requests = 0;
    const fetch: typeof globalThis.fetch = (...args) => {
      requests++;
      return globalThis.fetch(...args);
    };
    const client: Client = createClient({ connection: platform.announcement, fetch });
    const hours = new LastHours();
    const { signal } = new AbortController();
    const [first, second] = await Promise.all([
      hours.read(client, endpoint.id, signal),
      hours.read(client, endpoint.id, signal),
    ]);
    assert.ok(first && first.p99 > 0);
    assert.match(first.curve, /^·+█·?$/);
    assert.equal(second, first);
    assert.equal(requests, 1);
    const idle = await api.createEndpoint();
    assert.equal(await hours.read(client, idle.id, signal), undefined);
  });
});
