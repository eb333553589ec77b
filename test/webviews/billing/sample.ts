import type { BillingAmounts, BillingResponse, BucketSize } from '../../../src/contract/billing.ts';
import { bucketEnd } from '../../../src/webviews/billing/spend.ts';

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
    const end = bucketEnd(at, bucketSize);
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
