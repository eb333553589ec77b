// Clauses of the interface: Endpoints 1; Resources, billing amounts.
import assert from 'node:assert/strict';
import { billingReport, publicEndpointReport, resourceReport } from '../../../src/platform/domain/billingReport.ts';
import { MAX_BUCKETS } from '../../../src/contract/billing.ts';
import { resolveWindow } from '../../../src/platform/domain/buckets.ts';
import { HOUR_MS, type Charge } from '../../../src/platform/domain/metering.ts';
import { collectReport, sumsOf } from '../collectedReport.ts';

const now = Date.parse('2026-03-18T14:25:30.500Z');
const hour = Date.parse('2026-03-18T14:00:00Z');
const window = resolveWindow({ lastN: 3, bucketSize: 'hour' }, now);

const charge = (kind: Charge['kind'], nanoUsd: number, hoursAgo = 0, resourceId = 'a'): Charge => ({
  ...{ kind, nanoUsd: BigInt(nanoUsd), resourceId, at: hour - hoursAgo * HOUR_MS },
});

describe('Billing reports', () => {
  it('have a record for every bucket, with or without spend, and matching totals', () => {
    const usage = [
      ...[charge('serverlessGpu', 620_000, 1), charge('serverlessGpu', 1_000, 1), charge('serverlessCpu', 40_000, 1)],
      ...[charge('endpoint', 20_000_000), charge('storageStandard', 3), charge('serverlessDisk', 7)],
    ];
    const { records, metadata } = collectReport(billingReport(sumsOf(usage), window));
    assert.deepEqual(
      records.map(({ startTime, totalAmount }) => [startTime.slice(11, 16), totalAmount]),
      [
        ['12:00', 0],
        ['13:00', 0.000661],
        ['14:00', 0.02000001],
      ],
    );
    const { totalAmount, serverlessGpuAmount, endpointAmount, serverlessFeeAmount, podGpuAmount } = metadata.totals;
    assert.deepEqual([totalAmount, serverlessGpuAmount, endpointAmount], [0.02066101, 0.000621, 0.02]);
    assert.deepEqual([serverlessFeeAmount, podGpuAmount], [0, 0]);
    assert.equal(metadata.recordCount, 3);
    assert.equal(metadata.query.endTime, '2026-03-18T15:00:00.000Z');
  });

  it('add up amounts without floating-point errors', () => {
    const usage = Array.from({ length: 1000 }, () => charge('endpoint', 100_000_000));
    assert.equal(collectReport(billingReport(sumsOf(usage), window)).metadata.totals.totalAmount, 100);
    // A sum of dollars is not exact, which is why amounts are integers.
    assert.notEqual(
      usage.reduce((sum) => sum + 0.1, 0),
      100,
    );
  });

  const form = {
    amounts: { gpuAmount: 'serverlessGpu', cpuAmount: 'serverlessCpu' },
    id: 'serverlessId',
    count: 'uniqueServerlessCount',
  } as const;

  it('list each resource in each bucket with spend, ordered by time and then by resource', () => {
    const usage = [
      ...[charge('serverlessGpu', 5, 0, 'b'), charge('serverlessCpu', 6, 0, 'b')],
      ...[charge('serverlessGpu', 7, 0, 'a'), charge('serverlessGpu', 8, 2, 'b')],
    ];
    const { records, metadata } = collectReport(resourceReport(form, sumsOf(usage), window, undefined));
    assert.deepEqual(
      records.map((record) => [record.serverlessId, record.gpuAmount, record.cpuAmount, record.totalAmount]),
      [
        ['b', 8e-9, 0, 8e-9],
        ['a', 7e-9, 0, 7e-9],
        ['b', 5e-9, 6e-9, 11e-9],
      ],
    );
    assert.deepEqual(metadata, {
      query: {
        ...{ startTime: '2026-03-18T12:00:00.000Z', endTime: '2026-03-18T15:00:00.000Z', bucketSize: 'hour' },
        serverlessId: null,
      },
      ...{
        recordCount: 3,
        uniqueServerlessCount: 2,
        totals: { totalAmount: 26e-9, gpuAmount: 20e-9, cpuAmount: 6e-9 },
      },
    });
    assert.equal(collectReport(resourceReport(form, sumsOf(usage), window, 'b')).metadata.query.serverlessId, 'b');
  });

  it('order many resources of one bucket by their IDs', () => {
    const ids = ['h', 'd', 'b', 'f', 'a', 'c', 'e', 'g'];
    const usage = ids.map((id) => charge('serverlessGpu', 1, 0, id));
    const { records } = collectReport(resourceReport(form, sumsOf(usage), window, undefined));
    assert.deepEqual(
      records.map(({ serverlessId }) => serverlessId),
      ids.toSorted(),
    );
  });

  it('are empty but complete without spend', () => {
    const { records, metadata } = collectReport(resourceReport(form, sumsOf([]), window, undefined));
    assert.deepEqual([records, metadata.recordCount, metadata.uniqueServerlessCount], [[], 0, 0]);
    assert.deepEqual(metadata.totals, { totalAmount: 0, gpuAmount: 0, cpuAmount: 0 });
    assert.deepEqual(collectReport(publicEndpointReport(sumsOf([]), window)).metadata.totals, { totalAmount: 0 });
  });

  it('create only a few records at a time, for any window and any number of resources', () => {
    const long = resolveWindow({ lastN: MAX_BUCKETS, bucketSize: 'hour' }, now);
    const report = billingReport(sumsOf([charge('endpoint', 1), charge('endpoint', 2, MAX_BUCKETS - 1)]), long);
    let records = 0;
    for (const batch of report.batches) {
      assert.ok(batch.length <= 2_000);
      records += batch.length;
    }
    assert.equal(records, MAX_BUCKETS);
    assert.equal(report.metadata().recordCount, MAX_BUCKETS);
    assert.equal(report.metadata().totals.totalAmount, 3e-9);

    function* everyHour(from: number, to: number): Generator<Charge> {
      for (let at = from; at < to; at += HOUR_MS)
        for (let id = 0; id < 100; id++) yield { ...charge('serverlessGpu', 1), at, resourceId: `e${id}` };
    }
    const busy = resolveWindow({ lastN: 1_500, bucketSize: 'hour' }, now);
    const sizes = [...resourceReport(form, everyHour, busy, undefined).batches].map(({ length }) => length);
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      150_000,
    );
    assert.ok(
      sizes.length > 5 && sizes.slice(5).every((size) => size <= 10_000),
      'batches have fewer buckets once each bucket has many charges',
    );
    assert.ok(sizes.length < 30, 'and no fewer than needed');
  });

  it('read the store about once for 2000 buckets of a long window', () => {
    const long = resolveWindow({ lastN: MAX_BUCKETS, bucketSize: 'hour' }, now);
    assert.ok([...billingReport(sumsOf([]), long).batches].length <= MAX_BUCKETS / 2_000 + 5);
  });

  it('have no empty batch, for any number of buckets', () => {
    for (const lastN of [1, 499, 500, 501, 1_500, 3_500]) {
      const some = resolveWindow({ lastN, bucketSize: 'hour' }, now);
      const sizes = [...billingReport(sumsOf([]), some).batches].map(({ length }) => length);
      assert.ok(sizes.every((size) => size > 0) && sizes.length > 0, `${lastN}`);
    }
  });

  it('round sums beyond the precision of a number to the nearest value', () => {
    const usage = Array.from({ length: 20 }, () => ({ ...charge('endpoint', 0), nanoUsd: 10n ** 15n + 1n }));
    assert.equal(collectReport(billingReport(sumsOf(usage), window)).metadata.totals.totalAmount, 20_000_000.00000002);
    const huge = [{ ...charge('endpoint', 0), nanoUsd: 123_456_789_012_345_678_901_234_567_890n }];
    assert.equal(
      collectReport(billingReport(sumsOf(huge), window)).metadata.totals.endpointAmount,
      123_456_789_012_345_678_901.23456789,
    );
  });

  it('have the record of a window of one bucket', () => {
    const one = resolveWindow({ lastN: 1, bucketSize: 'hour' }, now);
    const report = billingReport(sumsOf([charge('endpoint', 5)]), one);
    assert.deepEqual(
      [...report.batches].flat().map(({ endTime, endpointAmount }) => [endTime, endpointAmount]),
      [[new Date(one.end).toISOString(), 5e-9]],
    );
  });
});
