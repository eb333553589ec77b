import type { BillingAmounts, BillingResponse, BucketSize } from '../../../src/contract/billing.ts';
import type { NetworkVolumeBillingReport, ServerlessBillingReport } from '../../../src/contract/billingReports.ts';
import type { BillingState } from '../../../src/features/spend/billing/billingStore.ts';
import { billingChart, billingView } from '../../../src/features/spend/billing/billingView.ts';
import { addBuckets, shownPart } from '../../../src/features/spend/billing/model/buckets.ts';
import { DEFAULT_SELECTION } from '../../../src/features/spend/billing/model/selection.ts';
import type { BillingChart, BillingSelection, BillingView } from '../../../src/webviews/billing/messages.ts';

/** Creates amounts that are zero except for the given ones. The total is their sum. */
export function amounts(given: Partial<BillingAmounts> = {}): BillingAmounts {
  const totalAmount = Object.values(given).reduce<number>((sum, value) => sum + Number(value), 0);
  return {
    totalAmount,
    podGpuAmount: 0,
    podCpuAmount: 0,
    podDiskAmount: 0,
    serverlessGpuAmount: 0,
    serverlessCpuAmount: 0,
    serverlessDiskAmount: 0,
    serverlessFeeAmount: 0,
    storageStandardAmount: 0,
    storageHighPerformanceAmount: 0,
    endpointAmount: 0,
    clusterGpuAmount: 0,
    clusterDiskAmount: 0,
    clusterNetworkingAmount: 0,
    ...given,
  };
}

/** Creates a billing answer that starts at `start` and has one bucket for each of `spends`. The answer omits an undefined bucket. */
export function response(
  bucketSize: BucketSize,
  start: string,
  spends: readonly (Partial<BillingAmounts> | undefined)[],
): BillingResponse {
  let at = Date.parse(start);
  const totals = amounts();
  const records: BillingResponse['records'] = [];
  for (const spend of spends) {
    const end = addBuckets(at, bucketSize, 1);
    if (spend) {
      const record = amounts(spend);
      for (const [name, value] of Object.entries(record)) totals[name] = Number(totals[name]) + Number(value);
      records.push({ startTime: new Date(at).toISOString(), endTime: new Date(end).toISOString(), ...record });
    }
    at = end;
  }
  const query = { startTime: new Date(start).toISOString(), endTime: new Date(at).toISOString(), bucketSize };
  return { records, metadata: { query, recordCount: records.length, totals } };
}

/** Creates the record of a serverless endpoint. */
export function serverless(
  startTime: string,
  serverlessId: string,
  { gpu = 0, cpu = 0, disk = 0 }: { gpu?: number; cpu?: number; disk?: number },
): ServerlessBillingReport['records'][number] {
  const endTime = new Date(addBuckets(Date.parse(startTime), 'day', 1)).toISOString();
  const totalAmount = gpu + cpu + disk;
  return { startTime, endTime, serverlessId, totalAmount, gpuAmount: gpu, cpuAmount: cpu, diskAmount: disk };
}

/** Creates a daily report of serverless endpoints. */
export function serverlessReport(
  records: ServerlessBillingReport['records'],
  [startTime, endTime]: readonly [string, string],
): ServerlessBillingReport {
  const sum = (name: 'totalAmount' | 'gpuAmount' | 'cpuAmount' | 'diskAmount') =>
    Math.round(records.reduce((total, record) => total + record[name], 0) * 1e9) / 1e9;
  return {
    records,
    metadata: {
      query: { startTime, endTime, bucketSize: 'day', serverlessId: null },
      recordCount: records.length,
      uniqueServerlessCount: new Set(records.map(({ serverlessId }) => serverlessId)).size,
      totals: {
        totalAmount: sum('totalAmount'),
        gpuAmount: sum('gpuAmount'),
        cpuAmount: sum('cpuAmount'),
        diskAmount: sum('diskAmount'),
      },
    },
  };
}

/** Creates a daily report of network volumes. */
export function volumeReport(
  records: readonly (readonly [startTime: string, networkVolumeId: string, amount: number])[],
  [startTime, endTime]: readonly [string, string],
): NetworkVolumeBillingReport {
  const total = Math.round(records.reduce((sum, [, , amount]) => sum + amount, 0) * 1e9) / 1e9;
  return {
    records: records.map(([start, networkVolumeId, amount]) => ({
      startTime: start,
      endTime: new Date(addBuckets(Date.parse(start), 'day', 1)).toISOString(),
      networkVolumeId,
      totalAmount: amount,
      standardAmount: amount,
      highPerformanceAmount: 0,
    })),
    metadata: {
      query: { startTime, endTime, bucketSize: 'day', networkVolumeId: null },
      recordCount: records.length,
      uniqueNetworkVolumeCount: new Set(records.map(([, id]) => id)).size,
      totals: { totalAmount: total, standardAmount: total, highPerformanceAmount: 0 },
    },
  };
}

export const IDLE: BillingState = {
  selection: DEFAULT_SELECTION,
  problem: undefined,
  busy: false,
  account: {},
  before: {},
  month: {},
  groups: {},
  resources: {},
};

export const LOCAL = { client: {}, profile: { kind: 'local', name: 'Local Platform' } } as const;

/** What the editor sends to the page for a state. */
export function sentFor(
  change: Partial<BillingState>,
  now: number,
  connection: Parameters<typeof billingView>[1] = LOCAL,
): { view: BillingView; chart: BillingChart | undefined } {
  const state = { ...IDLE, ...change };
  const chart = billingChart(state, now);
  const window = state.account.value?.metadata.query;
  return { view: billingView(state, connection, now), chart: chart && window ? shownPart(chart, window) : chart };
}

/** Creates a selection. */
export function selection(change: Partial<BillingSelection>): BillingSelection {
  return { ...DEFAULT_SELECTION, ...change };
}
