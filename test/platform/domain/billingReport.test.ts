import assert from 'node:assert/strict';
import {
  MAX_RECORDS,
  billingReport,
  publicEndpointReport,
  resourceReport,
} from '../../../src/platform/domain/billingReport.ts';
import { resolveWindow } from '../../../src/platform/domain/buckets.ts';
import { HOUR_MS, type Charge } from '../../../src/platform/domain/metering.ts';
import { Refusal } from '../../../src/platform/domain/refusal.ts';

const now = Date.parse('2026-03-18T14:25:30.500Z');
const hour = Date.parse('2026-03-18T14:00:00Z');
const window = resolveWindow({ lastN: 3, bucketSize: 'hour' }, now);

const charge = (kind: Charge['kind'], nanoUsd: number, hoursAgo = 0, resourceId = 'a'): Charge => ({
  ...{ kind, nanoUsd, resourceId, at: hour - hoursAgo * HOUR_MS },
});

describe('Billing reports', () => {
  it('have a record for every bucket, also one without spend, and totals that agree', () => {
    const usage = [
      ...[charge('serverlessGpu', 620_000, 1), charge('serverlessGpu', 1_000, 1), charge('serverlessCpu', 40_000, 1)],
      ...[charge('endpoint', 20_000_000), charge('storageStandard', 3), charge('serverlessDisk', 7)],
    ];
    const { records, metadata } = billingReport(usage, window);
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

  it('add up without the error of binary fractions', () => {
    const usage = Array.from({ length: 1000 }, () => charge('endpoint', 100_000_000));
    assert.equal(billingReport(usage, window).metadata.totals.totalAmount, 100);
    // What adding dollars comes to: the reason for integers.
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

  it('tell of each resource in each bucket with spend, by time and then by resource', () => {
    const usage = [
      ...[charge('serverlessGpu', 5, 0, 'b'), charge('serverlessCpu', 6, 0, 'b')],
      ...[charge('serverlessGpu', 7, 0, 'a'), charge('serverlessGpu', 8, 2, 'b')],
    ];
    const { records, metadata } = resourceReport(form, usage, window, undefined);
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
    assert.equal(resourceReport(form, usage, window, 'b').metadata.query.serverlessId, 'b');
  });

  it('are empty and whole when nothing was spent', () => {
    const { records, metadata } = resourceReport(form, [], window, undefined);
    assert.deepEqual([records, metadata.recordCount, metadata.uniqueServerlessCount], [[], 0, 0]);
    assert.deepEqual(metadata.totals, { totalAmount: 0, gpuAmount: 0, cpuAmount: 0 });
    assert.deepEqual(publicEndpointReport([], window).metadata.totals, { totalAmount: 0 });
  });

  it('are refused when they would not end', () => {
    function* many(): Generator<Charge> {
      for (let index = 0; ; index++) yield charge('serverlessGpu', 1, 0, `e${index}`);
    }
    assert.throws(
      () => resourceReport(form, many(), window, undefined),
      (error) => error instanceof Refusal && error.status === 400 && error.message.includes(String(MAX_RECORDS)),
    );
  });
});
