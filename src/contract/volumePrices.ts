import type { VolumeType } from './networkVolume.ts';

/** Prices in USD per GB and month. The price of high-performance storage is an assumption, because it is not public. */
export const VOLUME_USD_PER_GB_MONTH = { standard: 0.07, standardAboveOneTb: 0.05, highPerformance: 0.14 } as const;
export const ONE_TB_IN_GB = 1000;

/** Returns the price of a volume in USD per month. @param size in GB */
export function volumeMonthlyUsd({
  size,
  type,
}: {
  readonly size: number;
  readonly type: VolumeType | (string & {});
}): number {
  const { standard, standardAboveOneTb, highPerformance } = VOLUME_USD_PER_GB_MONTH;
  if (type === 'HIGH_PERFORMANCE') return size * highPerformance;
  const above = Math.max(0, size - ONE_TB_IN_GB);
  return (size - above) * standard + above * standardAboveOneTb;
}
