import assert from 'node:assert/strict';
import type { Client } from '../../../src/client/client.ts';
import { ApiError } from '../../../src/client/apiError.ts';
import { BudgetStore, SilencedStore } from '../../../src/features/spend/noticeStores.ts';
import { EndpointSpends } from '../../../src/account/prices/endpointSpends.ts';
import { json, startScriptedServer, type Script } from '../../client/scriptedServer.ts';
import { memento } from '../jobs/memento.ts';
import { dailyReport } from './sample.ts';

describe('BudgetStore', () => {
  it('stores the last warning of each account of a connection', async () => {
    const storage = memento();
    const store = new BudgetStore(storage);
    const mine = { id: 'c', teamId: undefined };
    const team = { id: 'c', teamId: 't' };
    const warning = { monthName: '2026-03', budget: 100, threshold: 50 };
    await store.put(mine, warning);
    await store.put(team, { ...warning, threshold: 80 });
    assert.deepEqual(new BudgetStore(storage).get(mine), warning);
    assert.equal(new BudgetStore(storage).get(team)?.threshold, 80);
    assert.equal(store.get({ id: 'd' }), undefined);
  });

  it('ignores content that it cannot read', async () => {
    const storage = memento();
    const store = new BudgetStore(storage);
    await store.put({ id: 'c' }, { monthName: '2026-03', budget: 100, threshold: 50 });
    for (const key of storage.keys()) await storage.update(key, { other: 'content' });
    assert.equal(new BudgetStore(storage).get({ id: 'c' }), undefined);
  });
});

describe('SilencedStore', () => {
  it('stores the endpoints of a connection until they are cleared', async () => {
    const store = new SilencedStore(memento());
    await store.add('c', 'e1');
    await store.add('c', 'e1');
    await store.add('c', 'e2');
    assert.deepEqual([store.has('c', 'e1'), store.has('d', 'e1')], [true, false]);
    assert.equal((await store.clear('c')).length, 2);
    assert.equal(store.has('c', 'e1'), false);
    assert.deepEqual(await store.clear('c'), []);
  });
});

describe('EndpointSpends', () => {
  async function spends(script: Script) {
    const server = await startScriptedServer(script);
    const clock = { time: 1_000_000, now: () => clock.time };
    const store = new EndpointSpends(clock);
    const of = (id: string, client: Client = server.client, signal?: AbortSignal) => store.of(client, id, signal);
    return { of, clock, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  }
  const report = dailyReport({ '2026-03-03': 1 }, '2026-03-04T00:00:00Z');
  const serverless = {
    ...report,
    records: report.records.map(({ startTime, endTime, totalAmount }) => ({
      ...{ startTime, endTime, totalAmount, serverlessId: 'e1', gpuAmount: 0, cpuAmount: totalAmount, diskAmount: 0 },
    })),
    metadata: {
      ...report.metadata,
      uniqueServerlessCount: 1,
      totals: { totalAmount: 1, gpuAmount: 0, cpuAmount: 1, diskAmount: 0 },
    },
  };

  it('reads the spend on one endpoint, and keeps it for a minute', async () => {
    await using world = await spends((_, response) => json(response, 200, serverless));
    const { of, clock, server } = world;
    assert.deepEqual(await of('e1'), { today: 1, month: 1, monthName: '2026-03' });
    clock.time += 59_999;
    await of('e1');
    assert.deepEqual(
      server.received.map(({ path }) => path),
      ['/v2/billing/serverless?bucketSize=day&lastN=31&serverlessId=e1'],
    );
    clock.time += 1;
    await of('e1');
    await of('e2');
    assert.equal(server.received.length, 3);
  });

  it('keeps a failure for a minute too', async () => {
    await using world = await spends((_, response) =>
      json(response, 403, { title: 'Forbidden', status: 403, detail: 'no' }, 'application/problem+json'),
    );
    const { of, server } = world;
    const error = await of('e1');
    assert.ok(error instanceof ApiError);
    assert.equal(error.kind, 'forbidden');
    await of('e1');
    assert.equal(server.received.length, 1);
  });

  it('forgets a canceled read', async () => {
    await using world = await spends((_, response) => json(response, 200, serverless));
    const { of, server } = world;
    assert.equal(await of('e1', server.client, AbortSignal.abort()), undefined);
    assert.notEqual(await of('e1'), undefined);
  });
});
