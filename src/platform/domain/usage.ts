import { IMAGE_EDIT_PRICE_USD } from '../../contract/imageEdit.ts';
import type { VolumeType } from '../../contract/networkVolume.ts';
import type { WorkerPrice } from './workerPrices.ts';
import { nanoUsd } from './money.ts';
import { SECONDS_PER_MONTH, type Charge, type Usage } from './metering.ts';

/* What is metered, and at which price (facts, sections 6 and 10). */

/** What a worker's process costs while it is up. */
export interface WorkerCost extends WorkerPrice {
  readonly diskGb: number;
  /** Who pays. Left out: the owner of the platform. */
  readonly accountId?: string | undefined;
}

const DISK_NANO_USD_PER_GB_MONTH = nanoUsd(0.1);
const DISK_STEP_MS = 300_000;

/** A worker's process, from its start to its full stop: compute by the second, disk in steps of five minutes. */
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
      stepMs: 1000,
    },
    {
      ...of,
      kind: 'serverlessDisk',
      nanoUsdPerMonth: BigInt(diskGb) * DISK_NANO_USD_PER_GB_MONTH,
      stepMs: DISK_STEP_MS,
    },
  ];
}

/** Per GB and month. That of high performance storage is an assumption: its price is not public. */
const VOLUME_NANO_USD_PER_GB_MONTH = {
  standard: nanoUsd(0.07),
  standardAboveOneTb: nanoUsd(0.05),
  highPerformance: nanoUsd(0.14),
} as const;
const ONE_TB_IN_GB = 1000n;

/** A network volume of a size in GB, by the second from a moment on. It ends when the volume is deleted or grows: then another begins. */
export function volumeUsage(
  { id, size, type }: { readonly id: string; readonly size: number; readonly type: VolumeType },
  now: number,
): Usage {
  const price = VOLUME_NANO_USD_PER_GB_MONTH;
  const gb = BigInt(size);
  const above = gb > ONE_TB_IN_GB ? gb - ONE_TB_IN_GB : 0n;
  const of = { sourceId: id, resourceId: id, stepMs: 1000, startedAt: now };
  return type === 'HIGH_PERFORMANCE'
    ? { ...of, kind: 'storageHighPerformance', nanoUsdPerMonth: gb * price.highPerformance }
    : {
        ...of,
        kind: 'storageStandard',
        nanoUsdPerMonth: (gb - above) * price.standard + above * price.standardAboveOneTb,
      };
}

/** An image that was edited by the public endpoint; a failure is free. */
export function imageEditCharge(publicEndpointId: string, now: number, accountId?: string): Charge {
  return { accountId, kind: 'endpoint', resourceId: publicEndpointId, nanoUsd: nanoUsd(IMAGE_EDIT_PRICE_USD), at: now };
}
