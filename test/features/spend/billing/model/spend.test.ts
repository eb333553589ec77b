import assert from 'node:assert/strict';
import fc from 'fast-check';
import { spendByGroup, MAX_GROUPS, type Spend } from '../../../../../src/features/spend/billing/model/groups.ts';
import { spendByKind } from '../../../../../src/features/spend/billing/model/kinds.ts';
import { sumOf } from '../../../../../src/account/prices/amounts.ts';
import {
  spendByEndpoint,
  spendByGpu,
  spendByVolume,
} from '../../../../../src/features/spend/billing/model/resourceGroups.ts';
import type { GpuType } from '../../../../../src/contract/catalog.ts';
import { amounts, response, serverless, serverlessReport, volumeReport } from '../../../../webviews/billing/sample.ts';

const WINDOW = ['2025-11-19T00:00:00.000Z', '2025-11-22T00:00:00.000Z'] as const;
const [DAY1, DAY2] = ['2025-11-19T00:00:00.000Z', '2025-11-20T00:00:00.000Z'] as const;
const labels = ({ series }: Spend) => series.map(({ label, total }) => [label, total]);

describe('spend by kind of resource', () => {
  it('includes the buckets that the service omits', () => {
    const { totals, times } = spendByKind(
      response('day', '2025-11-19', [{ serverlessCpuAmount: 1 }, undefined, { podGpuAmount: 2 }]),
    );
    assert.deepEqual(totals, [1, 0, 2]);
    assert.equal(times.length, 4);
  });

  it('leaves out kinds without spend and the deprecated fee, and keeps the stacking order', () => {
    const spend = spendByKind(
      response('day', '2025-11-19', [{ podGpuAmount: 2, serverlessCpuAmount: 1, serverlessFeeAmount: 0 }]),
    );
    assert.deepEqual(labels(spend), [
      ['Serverless CPU', 1],
      ['Pod GPU', 2],
    ]);
  });

  it('keeps a kind whose amounts cancel each other', () => {
    const spend = spendByKind(response('day', '2025-11-19', [{ podGpuAmount: 2 }, { podGpuAmount: -2 }]));
    assert.deepEqual(spend.series[0]?.amounts, [2, -2]);
  });

  it('assigns the rest of a total to “Other”, without rounding errors', () => {
    const rest = response('day', '2025-11-19', [{ serverlessCpuAmount: 0.1 }]);
    rest.records = rest.records.map((record) => ({ ...record, totalAmount: 0.3 }));
    rest.metadata.totals.totalAmount = 0.3;
    assert.deepEqual(labels(spendByKind(rest)), [
      ['Serverless CPU', 0.1],
      ['Other', 0.2],
    ]);
    const noise = response('day', '2025-11-19', [amounts({ serverlessCpuAmount: 0.1, podGpuAmount: 0.2 })]);
    noise.metadata.totals.totalAmount = 0.3;
    assert.deepEqual(
      spendByKind(noise).series.map(({ label }) => label),
      ['Serverless CPU', 'Pod GPU'],
    );
  });

  it('takes the totals of the service instead of adding up records', () => {
    const answer = response('day', '2025-11-19', [{ podGpuAmount: 0.1 }, { podGpuAmount: 0.2 }]);
    Object.assign(answer.metadata.totals, { totalAmount: 0.3, podGpuAmount: 0.3 });
    const { total, series } = spendByKind(answer);
    assert.deepEqual([total, series[0]?.total], [0.3, 0.3]);
  });
});

describe('spend by endpoint and volume', () => {
  const report = serverlessReport(
    [
      serverless(DAY1, 'a', { gpu: 0.1 }),
      serverless(DAY1, 'gone', { cpu: 2 }),
      serverless(DAY2, 'a', { gpu: 0.2, disk: 0.01 }),
    ],
    WINDOW,
  );

  it('names endpoints, and identifies deleted ones by their IDs', () => {
    const spend = spendByEndpoint(report, [{ id: 'a', name: 'chat' }]);
    assert.deepEqual(labels(spend), [
      ['gone (deleted)', 2],
      ['chat', 0.31],
    ]);
    assert.deepEqual(spend.totals, [2.1, 0.21, 0]);
    assert.equal(spend.total, report.metadata.totals.totalAmount);
  });

  it('does not call an endpoint deleted when the names could not be read', () => {
    assert.deepEqual(
      spendByEndpoint(report, undefined).series.map(({ label }) => label),
      ['gone', 'a'],
    );
  });

  it('distinguishes resources with the same name', () => {
    const spend = spendByVolume(
      volumeReport(
        [
          [DAY1, 'v1', 2],
          [DAY1, 'v2', 1],
        ],
        WINDOW,
      ),
      [
        { id: 'v1', name: 'data' },
        { id: 'v2', name: 'data' },
      ],
    );
    assert.deepEqual(labels(spend), [
      ['data (v1)', 2],
      ['data (v2)', 1],
    ]);
  });

  it('makes hostile names safe to show', () => {
    const { series } = spendByEndpoint(report, [{ id: 'a', name: 'x\u202e\u0007\n$(trash)' }]);
    assert.equal(series[1]?.label, 'x $ (trash)');
  });
});

describe('spend by GPU type', () => {
  const gpu = (id: string, name: string, pool: string) => ({ id, name, pool }) as GpuType;
  const types = [
    gpu('RTX4090', 'RTX 4090', 'ADA_24'),
    gpu('L4', 'L4', 'AMPERE_24'),
    gpu('A5000', 'RTX A5000', 'AMPERE_24'),
  ];
  const report = serverlessReport(
    [
      serverless(DAY1, 'a', { gpu: 3, disk: 0.5 }),
      serverless(DAY1, 'b', { gpu: 1 }),
      serverless(DAY1, 'c', { gpu: 2 }),
      serverless(DAY1, 'd', { cpu: 0.25 }),
      serverless(DAY1, 'gone', { gpu: 4 }),
    ],
    WINDOW,
  );
  const endpoints = [
    { id: 'a', name: 'a', gpu: { pools: ['ADA_24'] } },
    { id: 'b', name: 'b', gpu: { pools: ['ADA_24'] } },
    { id: 'c', name: 'c', gpu: { pools: ['AMPERE_24'] } },
    { id: 'd', name: 'd', gpu: null },
  ];

  it('adds the endpoints with the same types, and separates CPUs, disks, and deleted endpoints', () => {
    const spend = spendByGpu(report, endpoints, types);
    assert.deepEqual(labels(spend), [
      ['RTX 4090', 4],
      ['GPUs of deleted endpoints', 4],
      ['L4 / RTX A5000', 2],
      ['Disks', 0.5],
      ['CPU workers', 0.25],
    ]);
    assert.equal(sumOf(spend.series.map(({ total }) => total)), spend.total);
  });

  it('leaves out excluded types, and has the names of pools without a catalog', () => {
    const excluding = [{ id: 'c', name: 'c', gpu: { pools: ['AMPERE_24'], excludedTypes: ['L4'] } }];
    assert.ok(spendByGpu(report, excluding, types).series.some(({ label }) => label === 'RTX A5000'));
    assert.ok(spendByGpu(report, endpoints, undefined).series.some(({ label }) => label === 'ADA_24'));
  });
});

describe('spend by many groups', () => {
  it('shows the largest groups and adds up the others', () => {
    const query = { startTime: WINDOW[0], endTime: WINDOW[1], bucketSize: 'day' as const };
    const amounts = Array.from({ length: 20 }, (_, index) => ({
      startTime: DAY1,
      groupId: `g${index}`,
      amount: index + 0.1,
    }));
    const spend = spendByGroup({ query, total: 192, amounts, groupOf: (id) => ({ id, label: id }) });
    assert.equal(spend.series.length, MAX_GROUPS);
    assert.deepEqual([spend.series[0]?.label, spend.series[0]?.total], ['g19', 19.1]);
    assert.deepEqual([spend.series.at(-1)?.label, spend.series.at(-1)?.total], ['9 others', 36.9]);
  });

  it('adds up to the total and to each bucket exactly, for every history in nano-dollars', () => {
    const record = fc.record({
      day: fc.integer({ min: 0, max: 2 }),
      group: fc.integer({ min: 0, max: 30 }),
      nano: fc.integer({ min: -1e12, max: 1e12 }),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 60 }), (records) => {
        const total = records.reduce((sum, { nano }) => sum + nano, 0) / 1e9;
        const spend = spendByGroup({
          query: { startTime: WINDOW[0], endTime: WINDOW[1], bucketSize: 'day' },
          total,
          amounts: records.map(({ day, group, nano }) => ({
            startTime: new Date(Date.parse(WINDOW[0]) + day * 86_400_000).toISOString(),
            groupId: `g${group}`,
            amount: nano / 1e9,
          })),
          groupOf: (id) => ({ id, label: id }),
        });
        assert.equal(sumOf(spend.series.map((one) => one.total)), total + 0);
        assert.equal(sumOf(spend.totals), total + 0);
        for (const [index, amount] of spend.totals.entries())
          assert.equal(sumOf(spend.series.map((one) => one.amounts[index] ?? 0)), amount);
      }),
    );
  });
});
