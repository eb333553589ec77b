import assert from 'node:assert/strict';
import { createClient } from '../../../src/client/client.ts';
import type { AlertsPart } from '../../../src/contract/alerts.ts';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import type { CreateEndpointBody, Endpoint } from '../../../src/contract/endpoint.ts';
import { operations } from '../../../src/contract/operations.ts';
import { EndpointWatch } from '../../../src/features/alerts/actions/endpointWatch.ts';
import { cleanUp, eventually, platformForTest, type Api } from '../../platform/support.ts';

/** Watches an endpoint of a real platform, whose clock the test advances. */
async function watched(alerts: AlertsPart, changes: Partial<CreateEndpointBody> = {}) {
  const { api, platform } = await platformForTest();
  const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1 }, ...changes });
  const client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
  const watch = new EndpointWatch();
  const { signal } = new AbortController();
  const look = async () => (await watch.look(client, endpoint, alerts, signal)).map(({ event }) => event);
  /** Looks, with a clock that advances before each look, until there is an event. */
  const until = (
    expected: 'fired' | 'resolved',
    advanceMs: number,
    each: () => Promise<unknown> = () => Promise.resolve(),
  ) =>
    eventually(expected, async () => {
      await each();
      await advance(api, advanceMs);
      const events = await look();
      return events.length > 0 && (assert.deepEqual(events, [expected]), true);
    });
  assert.deepEqual(await look(), []);
  return { api, endpoint, watch, look, until };
}

const advance = (api: Api, advanceMs: number) => api.call(controlOperations.setClock, { body: { advanceMs } });

async function scale(api: Api, { id }: Endpoint, max: number): Promise<void> {
  await api.call(operations.updateEndpoint, { parameters: { id }, body: { workers: { min: 0, max } } });
}

describe('On a real platform, an alert fires and is resolved', () => {
  afterEach(cleanUp);

  it('for failures in a row, by a handler that fails', async () => {
    const { api, endpoint, watch, until } = await watched({ failuresInARow: 3 });
    await until('fired', 10_000, () => api.runSync(endpoint, { do: 'fail' }));
    assert.ok((watch.firing[0]?.value ?? 0) >= 3);
    await until('resolved', 10_000, () => api.runSync(endpoint, { do: 'echo', value: 1 }));
    assert.deepEqual(watch.firing, []);
  });

  it('for a stuck queue, by a maximum of 0 workers', async () => {
    const { api, endpoint, watch, until } = await watched({ queueStuck: 60 });
    await scale(api, endpoint, 0);
    const { id } = await api.run(endpoint, { do: 'echo', value: 1 });
    await until('fired', 15_000);
    assert.ok((watch.firing[0]?.value ?? 0) >= 60);
    await scale(api, endpoint, 1);
    await api.jobWithStatus(endpoint, id, 'COMPLETED');
    await until('resolved', 10_000);
  });

  it('for a crash loop, by a worker that dies with each job', async () => {
    const { api, endpoint, until } = await watched({ crashLoop: 2 });
    await api.run(endpoint, { do: 'die' });
    await until('fired', 10_000);
    await api.call(operations.purgeQueue, { parameters: { endpointId: endpoint.id } });
    await until('resolved', 60_000);
  });

  it('for a slow percentile, by jobs that wait for a worker', async () => {
    const { api, endpoint, until } = await watched({ p99: { over: 20, for: 60 } });
    const slow = async () => {
      await scale(api, endpoint, 0);
      const { id } = await api.run(endpoint, { do: 'echo', value: 1 });
      await advance(api, 25_000);
      await scale(api, endpoint, 1);
      await api.jobWithStatus(endpoint, id, 'COMPLETED');
    };
    await until('fired', 5_000, slow);
    await until('resolved', 10_000, () => api.runSync(endpoint, { do: 'echo', value: 1 }));
  });

  it('for the spend, by a worker that stays', async () => {
    const { api, endpoint, watch, until } = await watched({ spendPerHour: 0.01 }, { workers: { min: 1, max: 1 } });
    await api.worker(endpoint, 'IDLE');
    await until('fired', 60_000);
    assert.ok((watch.firing[0]?.value ?? 0) > 0.01);
    await scale(api, endpoint, 0);
    await eventually('no worker runs', async () => (await api.workers(endpoint)).length === 0);
    await until('resolved', 60_000);
  });

  it('once, also if the watch begins again, and not if it was resolved before', async () => {
    const { api, endpoint, until } = await watched({ failuresInARow: 2 });
    await until('fired', 10_000, () => api.runSync(endpoint, { do: 'fail' }));
    await until('resolved', 10_000, () => api.runSync(endpoint, { do: 'echo', value: 1 }));
    const client = createClient({ connection: api.addresses, fetch: globalThis.fetch });
    const later = new EndpointWatch();
    assert.deepEqual(await later.look(client, endpoint, { failuresInARow: 2 }, new AbortController().signal), []);
  });
});
