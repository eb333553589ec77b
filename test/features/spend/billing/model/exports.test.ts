import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { csvOf, exportName, jsonOf } from '../../../../../src/features/spend/billing/model/exports.ts';
import { spendByKind } from '../../../../../src/features/spend/billing/model/kinds.ts';
import { spendByEndpoint } from '../../../../../src/features/spend/billing/model/resourceGroups.ts';
import type { BillingChart } from '../../../../../src/webviews/billing/messages.ts';
import { response, serverless, serverlessReport } from '../../../../webviews/billing/sample.ts';

const chart: BillingChart = {
  grouping: 'kind',
  ...spendByKind(
    response('day', '2025-11-15', [{ serverlessCpuAmount: 0.0000004 }, { podGpuAmount: 0.1 + 0.2 }, undefined]),
  ),
};

/** Creates a chart of one endpoint with this name. */
const endpointChart = (name: string): BillingChart => {
  const report = serverlessReport(
    [serverless('2025-11-15T00:00:00.000Z', 'ep1', { gpu: -1.5 })],
    ['2025-11-15T00:00:00.000Z', '2025-11-16T00:00:00.000Z'],
  );
  return { grouping: 'endpoint', ...spendByEndpoint(report, [{ id: 'ep1', name }]) };
};

describe('billing as CSV', () => {
  it('has the names of the API, and a row of plain decimals for each bucket', () => {
    assert.deepEqual(csvOf(chart).split('\r\n'), [
      'startTime,endTime,totalAmount,serverlessCpuAmount,podGpuAmount',
      '2025-11-15T00:00:00.000Z,2025-11-16T00:00:00.000Z,0.0000004,0.0000004,0',
      '2025-11-16T00:00:00.000Z,2025-11-17T00:00:00.000Z,0.3,0,0.3',
      '2025-11-17T00:00:00.000Z,2025-11-18T00:00:00.000Z,0,0,0',
      '',
    ]);
  });

  it('names a column by the name and the ID of an endpoint', () => {
    assert.match(csvOf(endpointChart('chat')), /^startTime,endTime,totalAmount,chat \(ep1\)\r\n.*,-1\.5,-1\.5\r\n$/s);
  });

  it('quotes separators, and keeps a spreadsheet from running a name as a formula', () => {
    for (const name of ['=1+1', '+1', '-1+1', '@SUM(A1)', 'a,b', 'say "hi"']) {
      const csv = csvOf(endpointChart(name));
      const [[, , , heading] = []] = parse(csv);
      const isFormula = /^[=+\-@]/.test(name);
      assert.equal(heading, `${isFormula ? `'` : ''}${name} (ep1)`);
    }
  });
});

describe('billing as JSON', () => {
  it('has the resolved window, the total, the groups, and the amounts of each bucket', () => {
    assert.deepEqual(JSON.parse(jsonOf(chart)), {
      query: {
        startTime: '2025-11-15T00:00:00.000Z',
        endTime: '2025-11-18T00:00:00.000Z',
        bucketSize: 'day',
        groupBy: 'kind',
      },
      currency: 'USD',
      totalAmount: chart.total,
      groups: [
        { id: 'serverlessCpuAmount', name: 'Serverless CPU', totalAmount: 0.0000004 },
        { id: 'podGpuAmount', name: 'Pod GPU', totalAmount: chart.series[1]?.total },
      ],
      records: [
        { startTime: '2025-11-15T00:00:00.000Z', endTime: '2025-11-16T00:00:00.000Z', totalAmount: 0.0000004 },
        { startTime: '2025-11-16T00:00:00.000Z', endTime: '2025-11-17T00:00:00.000Z', totalAmount: 0.3 },
        { startTime: '2025-11-17T00:00:00.000Z', endTime: '2025-11-18T00:00:00.000Z', totalAmount: 0 },
      ].map((record, index) => ({
        ...record,
        amounts: {
          serverlessCpuAmount: chart.series[0]?.amounts[index],
          podGpuAmount: chart.series[1]?.amounts[index],
        },
      })),
    });
  });
});

describe('the name of an export', () => {
  it('has the first and the last day of the window', () => {
    assert.equal(exportName(chart, 'csv'), 'billing-2025-11-15-to-2025-11-17.csv');
    assert.equal(exportName(endpointChart('x'), 'png'), 'billing-2025-11-15.png');
  });
});
