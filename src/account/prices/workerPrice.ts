import type { LiveValues } from '../liveValues/liveValues.ts';

/** Prices of the connection's catalog. */
export type Prices = Pick<LiveValues, 'gpus' | 'cpus'>;

/** The hardware of a manifest or an endpoint. */
export interface Hardware {
  readonly gpu?:
    | {
        readonly pools: readonly string[];
        readonly count?: number | undefined;
        readonly excludedTypes?: readonly string[] | undefined;
      }
    | null
    | undefined;
  readonly cpu?: readonly { readonly id: string; readonly vcpuCount: number }[] | null | undefined;
}

/** Lowest and highest price, in USD per hour. */
export interface PriceRange {
  readonly least: number;
  readonly most: number;
}

/**
 * Returns the highest price of one worker, in USD per hour. Undefined if the price of a pool or flavor is not known. The platform chooses
 * among the pools or flavors, so a worker can cost less.
 */
export function workerPrice(hardware: Hardware, prices: Prices): number | undefined {
  return rangeOf(choicePrices(hardware, prices))?.most;
}

/** Returns the price range of one worker on each pool or flavor that the hardware allows, in order of preference. Undefined: not known. */
export function choicePrices({ gpu, cpu }: Hardware, { gpus, cpus }: Prices): readonly (PriceRange | undefined)[] {
  if (gpu) return gpu.pools.map((pool) => poolPrices(pool, gpu, gpus));
  return (cpu ?? []).map(({ id, vcpuCount }) => {
    const flavor = cpus?.find((one) => one.id === id);
    if (!flavor) return undefined;
    const price = flavor.price.serverlessPerVcpu * vcpuCount;
    return { least: price, most: price };
  });
}

/** Returns the range that covers all ranges. Undefined without ranges, or if one of them is not known. */
export function rangeOf(ranges: readonly (PriceRange | undefined)[]): PriceRange | undefined {
  const known = ranges.filter((range) => range !== undefined);
  if (known.length === 0 || known.length < ranges.length) return undefined;
  return {
    least: Math.min(...known.map(({ least }) => least)),
    most: Math.max(...known.map(({ most }) => most)),
  };
}

/** Returns the prices of one worker with GPUs of a pool. The GPU types of a pool can have different prices. */
function poolPrices(
  pool: string,
  { count = 1, excludedTypes = [] }: NonNullable<Hardware['gpu']>,
  gpus: Prices['gpus'] = [],
): PriceRange | undefined {
  const prices = gpus
    .filter((type) => type.pool === pool && !excludedTypes.includes(type.id))
    .flatMap(({ price }) => price.serverless ?? []);
  if (prices.length === 0) return undefined;
  return { least: Math.min(...prices) * count, most: Math.max(...prices) * count };
}
