import type { BillingResponse } from '../../../src/contract/billing.ts';
import type { CpuType, GpuType } from '../../../src/contract/catalog.ts';

/** Returns a GPU type of a pool. Without a price, it is not available for serverless workers. */
const gpuType = (id: string, pool: string, serverless?: number, maximum = 8) =>
  ({
    id,
    name: id.toUpperCase(),
    pool,
    price: { secure: 9, community: 9, ...(serverless === undefined ? {} : { serverless }) },
    maxCount: { secure: maximum, community: 0 },
  }) as GpuType;

const cpuType = (id: string, serverlessPerVcpu: number, min = 2, max = 32) =>
  ({ id, name: id.toUpperCase(), vcpu: { min, max }, price: { securePerVcpu: 9, serverlessPerVcpu } }) as CpuType;

/** A pool with two prices, two pools with one price, a pool without a price, and two CPU flavors. USD per hour. */
export const prices = {
  gpus: [
    gpuType('a', 'SMALL', 0.5),
    gpuType('b', 'SMALL', 0.75),
    gpuType('c', 'LARGE', 2, 2),
    gpuType('d', 'UNPRICED'),
    gpuType('e', 'TINY', 0.36),
  ],
  cpus: [cpuType('cpu3c', 0.036), cpuType('cpu9x', 0.01, 8)],
};

/** Returns a report of daily records. @param amounts total amounts by day @param end end of the window */
export function dailyReport(amounts: Readonly<Record<string, number>>, end: string): BillingResponse {
  const records = Object.entries(amounts).map(([day, totalAmount]) => ({
    ...noAmounts,
    startTime: `${day}T00:00:00Z`,
    endTime: new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString(),
    totalAmount,
  }));
  const query = { startTime: '2026-01-01T00:00:00Z', endTime: end, bucketSize: 'day' } as const;
  return { records, metadata: { query, recordCount: records.length, totals: noAmounts } };
}

const noAmounts = {
  ...{ totalAmount: 0, podGpuAmount: 0, podCpuAmount: 0, podDiskAmount: 0, serverlessGpuAmount: 0 },
  ...{ serverlessCpuAmount: 0, serverlessDiskAmount: 0, serverlessFeeAmount: 0, storageStandardAmount: 0 },
  ...{ storageHighPerformanceAmount: 0, endpointAmount: 0, clusterGpuAmount: 0, clusterDiskAmount: 0 },
  clusterNetworkingAmount: 0,
};
