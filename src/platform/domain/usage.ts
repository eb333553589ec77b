import { IMAGE_EDIT_PRICE_USD } from '../../contract/imageModel.ts';
import { ONE_TB_IN_GB, VOLUME_USD_PER_GB_MONTH } from '../../contract/volumePrices.ts';
import type { VolumeType } from '../../contract/networkVolume.ts';
import type { WorkerPrice } from './workerPrices.ts';
import { nanoUsd } from './money.ts';
import { SECONDS_PER_MONTH, type Charge, type Usage } from './metering.ts';

/* Metered usage and its prices (docs/local-platform.md, Prices). */

/** Cost of a worker's process while it is up. */
export interface WorkerCost extends WorkerPrice {
  readonly diskGb: number;
  /** Account that pays. Omitted for the owner of the platform. */
  readonly accountId?: string | undefined;
}

const DISK_NANO_USD_PER_GB_MONTH = nanoUsd(0.1);
const DISK_NANO_USD_PER_GB_SECOND = Number(DISK_NANO_USD_PER_GB_MONTH) / Number(SECONDS_PER_MONTH);
const DISK_STEP_MS = 300_000;
/** Length of a charging step of a worker's process, without its disk, in ms. */
export const COMPUTE_STEP_MS = 1000;

/** Returns the usage of a worker's process from its start to its end: compute by the second, disk in steps of five minutes. */
export function workerUsage(
  run: { readonly id: string; readonly endpointId: string; readonly startedAt: number },
  { resource, nanoUsdPerSecond, diskGb, accountId }: WorkerCost,
): Usage[] {
  const of = { accountId, sourceId: run.id, resourceId: run.endpointId, startedAt: run.startedAt };
  return [
    {
      ...of,
      kind: resource === 'gpu' ? 'serverlessGpu' : 'serverlessCpu',
      nanoUsdPerMonth: BigInt(nanoUsdPerSecond) * SECONDS_PER_MONTH,
      stepMs: COMPUTE_STEP_MS,
    },
    {
      ...of,
      kind: 'serverlessDisk',
      nanoUsdPerMonth: BigInt(diskGb) * DISK_NANO_USD_PER_GB_MONTH,
      stepMs: DISK_STEP_MS,
    },
  ];
}

/** Returns the cost of a worker's process per second, in nano-dollars, if it were not charged in steps. */
export function workerRate({ nanoUsdPerSecond, diskGb }: Pick<WorkerCost, 'nanoUsdPerSecond' | 'diskGb'>): number {
  return nanoUsdPerSecond + diskGb * DISK_NANO_USD_PER_GB_SECOND;
}

const VOLUME_NANO_USD_PER_GB_MONTH = {
  standard: nanoUsd(VOLUME_USD_PER_GB_MONTH.standard),
  standardAboveOneTb: nanoUsd(VOLUME_USD_PER_GB_MONTH.standardAboveOneTb),
  highPerformance: nanoUsd(VOLUME_USD_PER_GB_MONTH.highPerformance),
} as const;

/** Returns the usage of a network volume from now, by the second. It ends when the volume is deleted or grows. `size` is in GB. */
export function volumeUsage(
  { id, size, type }: { readonly id: string; readonly size: number; readonly type: VolumeType },
  now: number,
): Usage {
  const price = VOLUME_NANO_USD_PER_GB_MONTH;
  const gb = BigInt(size);
  const above = size > ONE_TB_IN_GB ? BigInt(size - ONE_TB_IN_GB) : 0n;
  const of = { sourceId: id, resourceId: id, stepMs: 1000, startedAt: now };
  return type === 'HIGH_PERFORMANCE'
    ? { ...of, kind: 'storageHighPerformance', nanoUsdPerMonth: gb * price.highPerformance }
    : {
        ...of,
        kind: 'storageStandard',
        nanoUsdPerMonth: (gb - above) * price.standard + above * price.standardAboveOneTb,
      };
}

/** Returns the charge for an edited image. A failed edit is free. */
export function imageEditCharge(publicEndpointId: string, now: number, accountId?: string): Charge {
  return { accountId, kind: 'endpoint', resourceId: publicEndpointId, nanoUsd: nanoUsd(IMAGE_EDIT_PRICE_USD), at: now };
}
