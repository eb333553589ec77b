import type { CreateEndpointBody } from '../../contract/endpoint.ts';
import type { CpuRequest } from '../../contract/endpointSettings.ts';

/*
 * Prices of workers, so that a local run shows its price on the hosted service (docs/local-platform.md, Prices). Prices are integers in
 * nano-dollars (1e-9 USD) per second, so that sums are exact.
 */

interface GpuPool {
  readonly nanoUsdPerSecond: number;
}

/** GPU pools with their public list prices. The IDs of the two BLACKWELL pools are assumptions, because only their prices are public. */
export const GPU_POOLS: Readonly<Record<string, GpuPool>> = {
  AMPERE_16: { nanoUsdPerSecond: 160_000 },
  AMPERE_24: { nanoUsdPerSecond: 190_000 },
  ADA_24: { nanoUsdPerSecond: 310_000 },
  AMPERE_48: { nanoUsdPerSecond: 340_000 },
  ADA_48_PRO: { nanoUsdPerSecond: 530_000 },
  AMPERE_80: { nanoUsdPerSecond: 760_000 },
  ADA_80_PRO: { nanoUsdPerSecond: 1_160_000 },
  HOPPER_141: { nanoUsdPerSecond: 1_550_000 },
  BLACKWELL_96: { nanoUsdPerSecond: 1_110_000 },
  BLACKWELL_180: { nanoUsdPerSecond: 2_400_000 },
};

export interface CpuFlavor {
  readonly name: string;
  readonly group: string;
  readonly ramGbPerVcpu: number;
  readonly nanoUsdPerVcpuSecond: number;
}

/** Flavors of CPU workers. All numbers are assumptions: the shape of the catalog is public, its CPU prices are not. */
export const CPU_FLAVORS: Readonly<Record<string, CpuFlavor>> = {
  cpu3c: { name: 'CPU3 Compute-Optimized', group: 'Compute-Optimized', ramGbPerVcpu: 2, nanoUsdPerVcpuSecond: 10_000 },
  cpu3g: { name: 'CPU3 General Purpose', group: 'General Purpose', ramGbPerVcpu: 4, nanoUsdPerVcpuSecond: 13_000 },
  cpu3m: { name: 'CPU3 Memory-Optimized', group: 'Memory-Optimized', ramGbPerVcpu: 8, nanoUsdPerVcpuSecond: 18_000 },
  cpu5c: { name: 'CPU5 Compute-Optimized', group: 'Compute-Optimized', ramGbPerVcpu: 2, nanoUsdPerVcpuSecond: 12_000 },
  cpu5g: { name: 'CPU5 General Purpose', group: 'General Purpose', ramGbPerVcpu: 4, nanoUsdPerVcpuSecond: 15_000 },
  cpu5m: { name: 'CPU5 Memory-Optimized', group: 'Memory-Optimized', ramGbPerVcpu: 8, nanoUsdPerVcpuSecond: 20_000 },
};

/** Maximum number of GPUs of one type per worker. */
export const MAX_GPUS = 8;

/** Range of vCPUs of a CPU worker. The range is an assumption. */
export const CPU_VCPUS = { min: 2, max: 32 } as const;

/** Converts to the unit of the catalog's prices, USD per hour. */
export const usdPerHour = (nanoUsdPerSecond: number): number => (nanoUsdPerSecond * 3600) / 1e9;

/** Hardware of a worker, and its price while it is up, without its disk. */
export interface WorkerPrice {
  readonly resource: 'gpu' | 'cpu';
  readonly nanoUsdPerSecond: number;
}

type Hardware = Pick<CreateEndpointBody, 'gpu' | 'cpu'>;

/** Returns the price of a worker on the first pool or flavor in the request. The local platform always provides the first choice. */
export function workerPrice({ gpu, cpu }: Hardware): WorkerPrice {
  if (gpu) {
    const pool = GPU_POOLS[gpu.pools[0] ?? ''];
    return { resource: 'gpu', nanoUsdPerSecond: (pool?.nanoUsdPerSecond ?? 0) * (gpu.count ?? 1) };
  }
  const [first] = cpu ?? [];
  const perVcpu = CPU_FLAVORS[first?.id ?? '']?.nanoUsdPerVcpuSecond ?? 0;
  return { resource: 'cpu', nanoUsdPerSecond: perVcpu * (first?.vcpuCount ?? 0) };
}

/** Returns the memory of a CPU worker in GB: the flavor's RAM per vCPU times its vCPUs. */
export function cpuMemoryGb({ id, vcpuCount }: CpuRequest): number {
  return (CPU_FLAVORS[id]?.ramGbPerVcpu ?? 0) * vcpuCount;
}
