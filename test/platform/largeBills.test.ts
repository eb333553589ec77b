// Clauses of the interface: Endpoints 1.
import assert from 'node:assert/strict';
import { operations } from '../../src/contract/operations.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { HOUR_MS } from '../../src/platform/domain/metering.ts';
import { cleanUp, dataDirectory, platformForTest, settableClock, type Api } from './support.ts';

const now = Date.parse('2026-03-18T14:58:30Z');

describe('Large bills', () => {
  afterEach(cleanUp);

  const seed = async (api: Api, usage: readonly object[]): Promise<void> => {
    const { baseUrl, apiKey } = api.addresses;
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ usage });
    const response = await fetch(baseUrl + controlOperations.seed.path, { method: 'POST', headers, body });
    assert.equal(response.status, 200, await response.text());
  };
  const most = { kind: 'endpoint', resource: 'image-edit', usd: 1_000_000, at: '-2h' };

  it('can be read, even after a restart', async () => {
    const dataDir = await dataDirectory();
    const clock = settableClock(now);
    const first = await platformForTest({ dataDir, clock });
    await seed(first.api, Array(10).fill(most) as object[]);
    const check = async (api: Api): Promise<void> => {
      const { metadata } = await api.call(operations.listBilling);
      assert.deepEqual([metadata.totals.endpointAmount, metadata.totals.totalAmount], [1e7, 1e7]);
      const report = await api.call(operations.listEndpointBilling, { query: { bucketSize: 'hour' } });
      assert.deepEqual(
        report.records.map(({ totalAmount }) => totalAmount),
        [1e7],
      );
    };
    await check(first.api);
    await first.platform.close();
    await check((await platformForTest({ dataDir, clock })).api);
  });

  it('can exceed 64 bits of nano-dollars', async () => {
    const { api } = await platformForTest({ clock: settableClock(now) });
    await seed(api, Array(10_000).fill(most) as object[]);
    const { metadata } = await api.call(operations.listBilling);
    assert.equal(metadata.totals.totalAmount, 1e10);
  });

  it('have up to 200,000 buckets, including the first and the last', async () => {
    const { api } = await platformForTest({ clock: settableClock(now) });
    const startTime = new Date(now - 199_999 * HOUR_MS).toISOString();
    await seed(api, [
      { ...most, usd: 1, at: startTime },
      { ...most, usd: 2, at: new Date(now).toISOString() },
    ]);
    for (const query of [
      { bucketSize: 'hour', startTime },
      { bucketSize: 'hour', lastN: 200_000 },
    ] as const) {
      // The check blocks this process longer than the server's keep-alive time, so the connection must not be reused.
      const { records, metadata } = await api.call(operations.listBilling, { query, headers: { Connection: 'close' } });
      assert.deepEqual([records.length, metadata.recordCount], [200_000, 200_000]);
      assert.deepEqual([records[0]?.totalAmount, records.at(-1)?.totalAmount, metadata.totals.totalAmount], [1, 2, 3]);
      assert.equal(records.at(-1)?.endTime, metadata.query.endTime);
    }
    const startTimeBefore = new Date(now - 200_000 * HOUR_MS).toISOString();
    const tooMany = { bucketSize: 'hour', startTime: startTimeBefore };
    const { detail } = await api.refused(400, operations.listBilling, { query: tooMany });
    assert.match(detail ?? '', /more than 200000 buckets/);
  }).timeout(120_000);

  it('are refused with a reason for a lastN of too many buckets, or of buckets before the year 1', async () => {
    const { api } = await platformForTest({ clock: settableClock(now) });
    for (const row of [operations.listBilling, operations.listPodBilling, operations.listEndpointBilling]) {
      for (const lastN of [200_001, 2 ** 53 - 1, 2 ** 53, 1e20, '9'.repeat(400)]) {
        const { detail } = await api.refused(400, row, { query: { bucketSize: 'year', lastN } });
        assert.equal(
          detail,
          'lastN: the window has more than 200000 buckets; request a shorter window or larger buckets',
          String(lastN),
        );
      }
      const { detail } = await api.refused(400, row, { query: { bucketSize: 'year', lastN: 2_027 } });
      assert.equal(detail, 'the window, in whole buckets, must lie within the years 1 to 9999');
      await api.call(row, { query: { bucketSize: 'year', lastN: 2_026 } });
    }
    const { errors } = await api.refused(422, operations.listBilling, { query: { lastN: 0 } });
    assert.deepEqual(errors, ['$.lastN: must be at least 1']);
  });

  it('list single resources in the same number of buckets', async () => {
    const { api } = await platformForTest({ clock: settableClock(now) });
    const at = (hours: number): string => new Date(now - hours * HOUR_MS).toISOString();
    const usage = [150_000, 70_000, 70_000, 0].map((hours) => ({
      ...most,
      kind: 'podGpu',
      resource: 'p',
      usd: 1,
      at: at(hours),
    }));
    await seed(api, usage);
    const { records, metadata } = await api.call(operations.listPodBilling, {
      query: { bucketSize: 'hour', lastN: 200_000 },
    });
    assert.deepEqual(
      records.map(({ totalAmount }) => totalAmount),
      [1, 2, 1],
    );
    assert.deepEqual([metadata.recordCount, metadata.uniquePodCount, metadata.totals.totalAmount], [3, 1, 4]);
  });

  it('accept every form of RFC 3339 for their times', async () => {
    const { api } = await platformForTest({ clock: settableClock(now) });
    const query = {
      bucketSize: 'year',
      startTime: '2016-12-31t23:59:60z',
      endTime: '2018-06-01T00:00:00.123456789-00:00',
    };
    const { metadata } = await api.call(operations.listBilling, { query });
    assert.deepEqual(
      [metadata.query.startTime, metadata.query.endTime],
      ['2017-01-01T00:00:00.000Z', '2019-01-01T00:00:00.000Z'],
    );
    await api.refused(422, operations.listBilling, { query: { startTime: '2016-12-31 23:59:59Z' } });
  });
});
