// Clauses of the interface: Endpoints 1.
import assert from 'node:assert/strict';
import path from 'node:path';
import fc from 'fast-check';
import { BUCKET_SIZES } from '../../src/contract/billing.ts';
import { operations } from '../../src/contract/operations.ts';
import { billingReport, type Sums } from '../../src/platform/domain/billingReport.ts';
import { resolveWindow } from '../../src/platform/domain/buckets.ts';
import { DAY_MS, HOUR_MS, USAGE_KINDS, type Usage } from '../../src/platform/domain/metering.ts';
import { imageEditCharge, volumeUsage } from '../../src/platform/domain/usage.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { collectReport } from './collectedReport.ts';
import { plainBucket } from './domain/plainCalendar.ts';
import { cleanUp, dataDirectory, eventually, platformForTest, settableClock } from './support.ts';

const start = Date.parse('2026-03-18T14:58:30Z');

describe('Billing', () => {
  afterEach(cleanUp);

  it('charges a worker to its endpoint from its start to its end, in each hour', async () => {
    const clock = settableClock(start);
    const { api } = await platformForTest({ clock });
    const gpu = { cpu: undefined, gpu: { pools: ['ADA_24'], count: 2 }, workers: { min: 1, max: 1 } };
    const endpoint = await api.createEndpoint(gpu);
    await api.worker(endpoint, 'IDLE');
    const query = { bucketSize: 'hour', lastN: 2 };
    // A worker can start work before its runtime reports the process. Begun intervals are charged in full, so 1 ms shows the report.
    await eventually('the worker is on the bill', async () => {
      clock.set(clock.now() + 1);
      const { records } = await api.call(operations.listServerlessBilling, { query });
      return records.length > 0;
    });
    clock.set(start + 120_000);
    // 120 s on two GPUs at 0.00031 USD per second.
    const up = await api.call(operations.listServerlessBilling, { query });
    assert.deepEqual(
      up.records.map((record) => [record.serverlessId, record.startTime.slice(11, 16), record.gpuAmount]),
      [
        [endpoint.id, '14:00', 0.0558],
        [endpoint.id, '15:00', 0.0186],
      ],
    );
    const { gpuAmount, cpuAmount, diskAmount, totalAmount } = up.metadata.totals;
    assert.equal(cpuAmount, 0);
    // Five minutes, the interval of disk charges, for 5 GB at 0.10 USD per GB and month.
    assert.equal(diskAmount, 0.00005787);
    assert.equal(totalAmount, Number((gpuAmount + diskAmount).toFixed(9)));
    assert.equal(gpuAmount, 0.0744);
    assert.equal(up.metadata.uniqueServerlessCount, 1);
    assert.equal(up.metadata.query.serverlessId, null);

    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    // Time after the end of the process is free.
    await eventually('the bill no longer changes', async () => {
      clock.set(clock.now() + 1000);
      const before = await api.call(operations.listBilling, { query });
      clock.set(clock.now() + 1000);
      const after = await api.call(operations.listBilling, { query });
      return before.metadata.totals.totalAmount === after.metadata.totals.totalAmount;
    });
    const deleted = await api.call(operations.listServerlessBilling, { query: { serverlessId: endpoint.id } });
    assert.ok(deleted.metadata.totals.gpuAmount >= 0.0744, 'charges remain on the bill after the endpoint is deleted');
  });

  /** Starts a platform with usage from before its start. */
  async function platformWith(use: (store: Store) => void) {
    const dataDir = await dataDirectory();
    const store = openSqliteStore(path.join(dataDir, 'platform.sqlite'));
    use(store);
    store.close();
    return platformForTest({ dataDir, clock: settableClock(start) });
  }

  it("reports volumes and images separately, and includes both in the account's bill", async () => {
    const { api } = await platformWith((store) => {
      store.usage.start(volumeUsage({ id: 'standard', size: 100, type: 'STANDARD' }, start - 30 * DAY_MS));
      store.usage.start(volumeUsage({ id: 'fast', size: 50, type: 'HIGH_PERFORMANCE' }, start - 30 * DAY_MS));
      store.usage.end('fast', start - 15 * DAY_MS);
      for (const minutes of [0, 1, 61]) store.usage.record(imageEditCharge('image-edit', start - minutes * 60_000));
    });
    const volumes = await api.call(operations.listNetworkVolumeBilling, { query: { bucketSize: 'year', lastN: 1 } });
    assert.deepEqual(
      volumes.records.map((record) => [
        record.networkVolumeId,
        record.standardAmount,
        record.highPerformanceAmount,
        record.totalAmount,
      ]),
      [
        ['fast', 0, 3.5, 3.5],
        ['standard', 7, 0, 7],
      ],
    );
    assert.equal(volumes.metadata.uniqueNetworkVolumeCount, 2);
    const fast = await api.call(operations.listNetworkVolumeBilling, { query: { networkVolumeId: 'fast' } });
    assert.equal(fast.metadata.query.networkVolumeId, 'fast');
    assert.deepEqual([...new Set(fast.records.map(({ networkVolumeId }) => networkVolumeId))], ['fast']);
    assert.equal(fast.metadata.totals.totalAmount, 3.5);

    const images = await api.call(operations.listEndpointBilling, { query: { bucketSize: 'hour', lastN: 5 } });
    assert.deepEqual(
      images.records.map(({ startTime, totalAmount }) => [startTime.slice(11, 16), totalAmount]),
      [
        ['13:00', 0.02],
        ['14:00', 0.04],
      ],
    );
    const { totals } = (await api.call(operations.listBilling)).metadata;
    assert.deepEqual([totals.storageStandardAmount, totals.endpointAmount, totals.totalAmount], [7, 0.06, 10.56]);
  });

  it('returns empty reports of the correct shape if there is no usage', async () => {
    const { api } = await platformForTest({ clock: settableClock(start) });
    const pods = await api.call(operations.listPodBilling, { query: { podId: 'none' } });
    const query = { startTime: '2026-02-16T00:00:00.000Z', endTime: '2026-03-19T00:00:00.000Z', bucketSize: 'day' };
    assert.deepEqual(pods, {
      records: [],
      metadata: {
        query: { ...query, podId: 'none' },
        recordCount: 0,
        uniquePodCount: 0,
        totals: { totalAmount: 0, gpuAmount: 0, cpuAmount: 0, diskAmount: 0 },
      },
    });
    const clusters = await api.call(operations.listClusterBilling);
    assert.deepEqual([clusters.records, clusters.metadata.uniqueClusterCount], [[], 0]);
    assert.deepEqual(clusters.metadata.query, { ...query, clusterId: null });
    assert.deepEqual(Object.keys(clusters.metadata.totals).sort(), [
      ...['diskAmount', 'gpuAmount', 'networkingAmount', 'totalAmount'],
    ]);
    const images = await api.call(operations.listEndpointBilling);
    assert.deepEqual(images.metadata, { query, recordCount: 0, totals: { totalAmount: 0 } });
  });

  const reports = ['listBilling', 'listPodBilling', 'listServerlessBilling', 'listEndpointBilling'] as const;
  for (const name of [...reports, 'listNetworkVolumeBilling', 'listClusterBilling'] as const) {
    it(`refuses invalid windows: ${name}`, async () => {
      const { api } = await platformForTest();
      const row = operations[name];
      const both = await api.refused(400, row, { query: { lastN: 2, startTime: '2026-01-01T00:00:00Z' } });
      assert.deepEqual(both.errors, ['$.lastN: cannot be combined with startTime or endTime']);
      await api.refused(400, row, { query: { startTime: '2026-01-02T00:00:00Z', endTime: '2026-01-01T00:00:00Z' } });
      for (const [member, value] of Object.entries({
        lastN: 1.5,
        bucketSize: 'minute',
        startTime: 'today',
        grouping: 'x',
      })) {
        const { errors } = await api.refused(422, row, { query: { [member]: value } });
        assert.match(errors?.join(' ') ?? '', new RegExp(member));
      }
    });
  }

  it('equals a sum over every interval of every usage, for any window', () => {
    const year = Date.UTC(2027, 9, 1);
    const usages = fc.array(
      fc.record({
        from: fc.nat(300 * DAY_MS),
        length: fc.nat(40 * DAY_MS),
        open: fc.boolean(),
        kind: fc.constantFrom(...USAGE_KINDS),
        stepMs: fc.constantFrom(HOUR_MS, HOUR_MS / 4),
      }),
      { maxLength: 5 },
    );
    const window = fc.record({
      bucketSize: fc.constantFrom(...BUCKET_SIZES),
      from: fc.nat(300 * DAY_MS),
      length: fc.nat(90 * DAY_MS),
    });
    fc.assert(
      fc.property(usages, window, fc.nat(300 * DAY_MS), (used, { bucketSize, from, length }, settledAt) => {
        const now = year + 300 * DAY_MS;
        const store = openSqliteStore(':memory:');
        const stretches = used.map(({ from: begin, length: lasts, open, kind, stepMs }, index) => {
          // Each interval costs a whole number of nano-dollars.
          const nanoUsdPerMonth = BigInt((30 * DAY_MS * 1000) / stepMs);
          const usage: Usage = {
            sourceId: `${index}`,
            resourceId: 'r',
            kind,
            stepMs,
            nanoUsdPerMonth,
            startedAt: year + begin,
          };
          store.usage.start(usage);
          return { usage, end: open ? now : Math.min(now, year + begin + lasts), open };
        });
        store.usage.settle(Math.min(year + settledAt, ...stretches.map(({ end }) => end)));
        for (const { usage, end, open } of stretches) if (!open) store.usage.end(usage.sourceId, end);

        const times = {
          startTime: new Date(year + from).toISOString(),
          endTime: new Date(year + from + length + 1).toISOString(),
        };
        const resolved = resolveWindow({ bucketSize, ...times }, now);
        const grain = bucketSize === 'hour' ? 'hour' : 'day';
        const query = { grain, of: 'account', kinds: USAGE_KINDS } as const;
        const sums: Sums = (begin, end) => store.usage.sums({ ...query, from: begin, to: end }, now);
        const { records, metadata } = collectReport(billingReport(sums, resolved));
        store.close();

        const nano = (usd: number): number => Math.round(usd * 1e9);
        let at = plainBucket(bucketSize, year + from).start;
        let total = 0;
        for (const record of records) {
          const bucket = plainBucket(bucketSize, at);
          assert.equal(Date.parse(record.startTime), bucket.start);
          at = bucket.end;
          let spent = 0;
          for (const { usage, end } of stretches) {
            for (let step = usage.startedAt; step < end; step += usage.stepMs)
              if (step >= bucket.start && step < bucket.end) spent += 1000;
          }
          assert.equal(nano(record.totalAmount), spent);
          total += spent;
        }
        assert.equal(at, plainBucket(bucketSize, year + from + length).end);
        assert.equal(nano(metadata.totals.totalAmount), total);
      }),
      { numRuns: 20 },
    );
  });
});
