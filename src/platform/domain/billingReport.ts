import type { BillingAmounts, BillingResponse } from '../../contract/billing.ts';
import { bucketsOf, type BillingWindow } from './buckets.ts';
import { usageCost, type UsageRecord } from './metering.ts';

/** Amounts of a bucket as integers, in nano-dollars. */
interface Spend {
  gpu: number;
  cpu: number;
  disk: number;
}

/**
 * The spend of a window, bucket by bucket (interface document, Endpoints 1). Every bucket of the window has a record, also one
 * without spend. Totals are sums of integers, so records and totals agree.
 *
 * @param usage every stretch that touches the window
 */
export function billingReport(usage: readonly UsageRecord[], window: BillingWindow, now: number): BillingResponse {
  const buckets = bucketsOf(window);
  const spends = buckets.map((): Spend => ({ gpu: 0, cpu: 0, disk: 0 }));
  for (const stretch of usage) {
    const end = Math.min(stretch.endedAt ?? now, now);
    for (let at = firstBucket(buckets, stretch.startedAt); at < buckets.length; at++) {
      const [bucket, spend] = [buckets[at], spends[at]];
      // What is charged grows until the end, rounded up to a second: a bucket that begins after it has nothing of it.
      if (!bucket || !spend || bucket.start >= end) break;
      const cost = usageCost(stretch, bucket.start, bucket.end, now);
      spend[stretch.resource] += cost.compute;
      spend.disk += cost.disk;
    }
  }
  const totals: Spend = { gpu: 0, cpu: 0, disk: 0 };
  for (const spend of spends) {
    totals.gpu += spend.gpu;
    totals.cpu += spend.cpu;
    totals.disk += spend.disk;
  }
  return {
    records: buckets.map(({ start, end }, index) => ({
      startTime: iso(start),
      endTime: iso(end),
      ...amounts(spends[index] ?? totals),
    })),
    metadata: {
      query: { startTime: iso(window.start), endTime: iso(window.end), bucketSize: window.bucketSize },
      recordCount: buckets.length,
      totals: amounts(totals),
    },
  };
}

/** Index of the bucket in which a moment lies; of the first one for a moment before all. */
function firstBucket(buckets: readonly { start: number; end: number }[], moment: number): number {
  let [low, high] = [0, buckets.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((buckets[middle]?.end ?? Infinity) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

const iso = (time: number): string => new Date(time).toISOString();
const usd = (nanoUsd: number): number => nanoUsd / 1e9;

function amounts({ gpu, cpu, disk }: Spend): BillingAmounts {
  return {
    totalAmount: usd(gpu + cpu + disk),
    podGpuAmount: 0,
    podCpuAmount: 0,
    podDiskAmount: 0,
    serverlessGpuAmount: usd(gpu),
    serverlessCpuAmount: usd(cpu),
    serverlessDiskAmount: usd(disk),
    serverlessFeeAmount: 0,
    storageStandardAmount: 0,
    storageHighPerformanceAmount: 0,
    endpointAmount: 0,
    clusterGpuAmount: 0,
    clusterDiskAmount: 0,
    clusterNetworkingAmount: 0,
  };
}
