import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../../src/client/client.ts';
import { BillingStore } from '../../../../src/features/spend/billing/billingStore.ts';
import { billingChart } from '../../../../src/features/spend/billing/billingView.ts';
import { shownPart } from '../../../../src/features/spend/billing/model/buckets.ts';
import type { BillingSelection } from '../../../../src/webviews/billing/messages.ts';
import { Emitter } from '../../../../src/kit/emitter.ts';
import { json, startScriptedServer, type Received, type Script } from '../../../client/scriptedServer.ts';
import { cleanUp, eventually, platformForTest } from '../../../platform/support.ts';
import { response, selection, serverless, serverlessReport } from '../../../webviews/billing/sample.ts';
import { steppedClock } from '../../steppedClock.ts';

const day = response('hour', '2025-11-21T15:00Z', [{ serverlessCpuAmount: 1 }]);
const earlier = response('hour', '2025-11-20T15:00Z', [{ serverlessCpuAmount: 1 }]);
const MONTH = '/v2/billing?bucketSize=day&lastN=62';
const LAST_DAY = '/v2/billing?bucketSize=hour&lastN=24';
const month = response('day', '2025-09-21', new Array(62).fill({ serverlessCpuAmount: 1 }));
const WINDOW = ['2025-11-19T00:00:00.000Z', '2025-11-22T00:00:00.000Z'] as const;
const endpoints = { endpoints: [] };
const answers = (path: string): unknown => {
  if (path === MONTH) return month;
  if (path.startsWith('/v2/billing?') && path.includes('startTime')) return earlier;
  if (path.startsWith('/v2/billing/serverless'))
    return serverlessReport([serverless(WINDOW[0], 'ep1', { gpu: 1 })], WINDOW);
  return path.startsWith('/v2/serverless') ? endpoints : day;
};
const answerAll: Script = ({ path }, answer) => json(answer, 200, answers(path));
const problem = { title: 'Forbidden', status: 403, detail: 'access denied' };
const refuse: Script = (_, answer) => json(answer, 403, problem, 'application/problem+json');

/** Creates a store with a scripted server, in a window that has the focus. */
async function watch(script: Script, initial?: BillingSelection) {
  const server = await startScriptedServer(script);
  const changed = new Emitter<void>();
  const connection = { client: server.client as Client | undefined, onDidChange: changed.event };
  const time = steppedClock();
  // The clock of the machine is wrong: it shows 1970.
  const store = new BillingStore(connection, time.clock, initial);
  store.setFocused(true);
  return {
    store,
    time,
    paths: () => server.received.map(({ path }: Received) => path),
    use: (client: Client | undefined) => {
      connection.client = client;
      changed.fire();
    },
    until: (what: string, condition: () => boolean) => eventually(what, condition),
    /** Resolves once a round is complete. */
    read: async () => {
      store.setVisible(true);
      await eventually('the store waits', () => !store.state.busy && time.sleeping === 1);
    },
    [Symbol.asyncDispose]: async () => {
      store.dispose();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('BillingStore', () => {
  afterEach(cleanUp);

  it('reads the window and the month as soon as the view is visible, and only the window every 15 seconds', async () => {
    await using watched = await watch(answerAll);
    const { store, paths, read, until, time } = watched;
    assert.equal(paths().length, 0);
    await read();
    assert.deepEqual(paths().sort(), [MONTH, LAST_DAY]);
    time.advance(14_999);
    assert.equal(paths().length, 2);
    time.advance(1);
    await until('the store waits again', () => paths().length === 3 && !store.state.busy && time.sleeping === 1);
    assert.equal(paths().at(-1), LAST_DAY);
    store.setVisible(false);
    time.advance(60_000);
    assert.equal(paths().length, 3);
    assert.equal(time.sleeping, 0);
  });

  it('takes the time from the service when the clock of the machine is wrong', async () => {
    await using watched = await watch(answerAll);
    await watched.read();
    assert.equal(new Date(watched.store.now).toISOString(), '2025-11-21T15:00:00.000Z');
  });

  it('reads the window before once, with as many buckets as are finished', async () => {
    const window = response('hour', '2025-11-21T00:00Z', new Array(3).fill({ serverlessCpuAmount: 1 }));
    await using watched = await watch(({ path }, answer) =>
      json(answer, 200, path === LAST_DAY ? window : answers(path)),
    );
    const { store, read, paths, until, time } = watched;
    await read();
    const before =
      '/v2/billing?bucketSize=hour&startTime=2025-11-20T22%3A00%3A00.000Z&endTime=2025-11-21T00%3A00%3A00.000Z';
    assert.deepEqual(paths().sort(), [LAST_DAY, MONTH, before].sort());
    time.advance(15_000);
    await until('the store waits again', () => paths().length === 4 && !store.state.busy && time.sleeping === 1);
    assert.equal(paths().filter((path) => path === before).length, 1);
  });

  it('requests a new period and never shows the spend of the previous one', async () => {
    const held: (() => void)[] = [];
    await using watched = await watch((request, answer) => {
      if (request.path === MONTH) json(answer, 200, month);
      else held.push(() => json(answer, 200, day));
    });
    const { store, paths, until } = watched;
    store.setVisible(true);
    await until('the first period is requested', () => held.length === 1);
    store.select(selection({ period: 'year' }));
    assert.equal(store.state.account.value, undefined);
    assert.deepEqual(store.state.selection, selection({ period: 'year', bucketSize: 'month' }));
    await until('the second period is requested', () => held.length === 2);
    held[0]?.();
    assert.equal(store.state.busy, true);
    held[1]?.();
    await until('the spend is read', () => store.state.account.value !== undefined);
    assert.equal(paths().at(-1), '/v2/billing?bucketSize=month&lastN=12');
  });

  it('combines changes of different parts of the selection that follow each other', async () => {
    await using watched = await watch(answerAll);
    const { store } = watched;
    store.select({ period: 'month' });
    store.select({ grouping: 'endpoint' });
    assert.deepEqual(store.state.selection, selection({ period: 'month', bucketSize: 'day', grouping: 'endpoint' }));
  });

  it('reads the report and the names of a grouping only when it is selected', async () => {
    await using watched = await watch(answerAll);
    const { store, read, paths, until } = watched;
    await read();
    store.select(selection({ grouping: 'endpoint' }));
    assert.ok(store.state.account.value, 'the total stays visible');
    await until('the report is read', () => !!store.state.groups.value && !!store.state.resources.value);
    assert.deepEqual(
      paths().filter((path) => path.includes('serverless')),
      ['/v2/billing/serverless?bucketSize=hour&lastN=24', '/v2/serverless'],
    );
  });

  it('keeps the total and the forecast when the report of a grouping is forbidden', async () => {
    await using watched = await watch(
      (request, answer) => (request.path.startsWith('/v2/billing/serverless') ? refuse : answerAll)(request, answer),
      selection({ grouping: 'gpu' }),
    );
    const { store, read } = watched;
    await read();
    assert.equal(store.state.groups.error?.kind, 'forbidden');
    assert.ok(store.state.account.value && store.state.month.value);
    assert.equal(store.state.account.error, undefined);
  });

  it('keeps the last spend when the next request fails', async () => {
    let refused = false;
    await using watched = await watch((request, answer) => (refused ? refuse : answerAll)(request, answer));
    const { store, read, until } = watched;
    await read();
    refused = true;
    store.refresh();
    await until('the request fails', () => store.state.account.error !== undefined);
    assert.equal(store.state.account.error?.kind, 'forbidden');
    assert.deepEqual(store.state.account.value?.records, day.records);
  });

  it('reads everything again on a refresh', async () => {
    await using watched = await watch(answerAll);
    const { store, read, paths, until } = watched;
    await read();
    store.refresh();
    await until('the month is read again', () => paths().filter((path) => path === MONTH).length === 2);
  });

  it('reads a window that is over only once', async () => {
    const custom = selection({ period: 'custom', start: '2025-11-20T15:00:00Z', end: '2025-11-20T16:00:00Z' });
    await using watched = await watch(answerAll, custom);
    const { store, time, paths } = watched;
    store.setVisible(true);
    await eventually('the round ends', () => paths().length === 3 && !store.state.busy && time.sleeping === 1);
    time.advance(3_600_000);
    assert.equal(paths().length, 3);
  });

  it('leaves the number of buckets to the service, and reads a very large report once', async () => {
    const hours = new Array(10_001).fill({ serverlessCpuAmount: 0.5 });
    const large = response('hour', '2025-01-01T00:00Z', hours);
    const query = '/v2/billing?bucketSize=hour&lastN=10001';
    await using watched = await watch(
      ({ path }, answer) => json(answer, 200, path === query ? large : answers(path)),
      selection({ period: 'last', count: 10_001 }),
    );
    const { store, paths, time } = watched;
    store.setVisible(true);
    await eventually('the round ends', () => paths().length === 2 && !store.state.busy && time.sleeping === 1);
    assert.deepEqual(paths().sort(), [query, MONTH].sort());
    time.advance(60_000);
    assert.equal(paths().length, 2);
    const chart = billingChart(store.state, store.now) ?? assert.fail();
    assert.equal(chart.totals.length, 10_001);
    const shown = shownPart(chart, large.metadata.query);
    assert.deepEqual([shown.totals.length, shown.series[0]?.amounts.length], [10_000, 10_000]);
    assert.deepEqual([shown.times[0], shown.times.at(-1)], [chart.times[1], chart.times.at(-1)]);
    assert.deepEqual(shown.whole, { start: chart.times[0], buckets: 10_001, exported: 10_001 });
    assert.equal(shown.series[0]?.total, large.metadata.totals.totalAmount);
  });

  it('shows why the service refuses a number of buckets', async () => {
    const { platform } = await platformForTest();
    const store = new BillingStore(
      {
        client: createClient({ connection: platform.announcement, fetch: globalThis.fetch }),
        onDidChange: new Emitter<void>().event,
      },
      steppedClock().clock,
      selection({ period: 'last', count: 200_001 }),
    );
    store.setFocused(true);
    store.setVisible(true);
    await eventually('the service refuses', () => store.state.account.error !== undefined);
    assert.match(store.state.account.error?.message ?? '', /more than 200000 buckets/);
    store.dispose();
  });

  it('asks the service for the month before it requests a calendar period', async () => {
    await using watched = await watch(answerAll, selection({ period: 'lastMonth', bucketSize: 'day' }));
    await watched.read();
    assert.deepEqual(watched.paths().slice(0, 2), [
      MONTH,
      '/v2/billing?bucketSize=day&startTime=2025-10-01T00%3A00%3A00.000Z&endTime=2025-11-01T00%3A00%3A00.000Z',
    ]);
  });

  it('requests nothing for an invalid selection, and keeps the last spend', async () => {
    await using watched = await watch(answerAll);
    const { store, read, paths } = watched;
    await read();
    store.select(selection({ period: 'last', count: 0 }));
    assert.equal(store.state.problem, 'noCount');
    assert.ok(store.state.account.value);
    assert.equal(paths().length, 2);
  });

  it('waits as long as a rate limit demands', async () => {
    const limited = { title: 'Too Many Requests', status: 429, detail: 'minute' };
    let isLimited = false;
    await using watched = await watch((request, answer) => {
      if (!isLimited) return answerAll(request, answer);
      answer.setHeader('Retry-After', '120');
      json(answer, 429, limited, 'application/problem+json');
    });
    const { store, read, until, time, paths } = watched;
    await read();
    isLimited = true;
    store.refresh();
    await until(
      'the limit is reported',
      () => store.state.account.error?.kind === 'rateLimited' && time.sleeping === 1,
    );
    const before = paths().length;
    time.advance(119_000);
    assert.equal(paths().length, before);
    isLimited = false;
    time.advance(1_000);
    await until('the spend is read again', () => store.state.account.error === undefined);
  });

  it('does not show the spend of one connection for another', async () => {
    await using watched = await watch(answerAll);
    const { store, read, use } = watched;
    await read();
    use(undefined);
    assert.deepEqual([store.state.account, store.state.month, store.state.busy], [{}, {}, false]);
  });

  it('aborts the request when the window loses the focus, and reads again when it regains the focus', async () => {
    const held: (() => void)[] = [];
    await using watched = await watch((request, answer) => {
      if (request.path === MONTH) json(answer, 200, month);
      else held.push(() => json(answer, 200, day));
    });
    const { store, until } = watched;
    store.setVisible(true);
    await until('the spend is requested', () => held.length === 1);
    store.setFocused(false);
    await until('the request is aborted', () => !store.state.busy);
    assert.deepEqual(store.state.account, {});
    store.setFocused(true);
    await until('the spend is requested again', () => held.length === 2);
    held[1]?.();
    await until('the spend is read', () => store.state.account.value !== undefined);
  });
});
