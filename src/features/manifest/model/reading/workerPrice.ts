import type { LiveValues } from '../liveValues.ts';

/** The hardware of a manifest or an endpoint. */
interface Hardware {
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

/**
 * Returns the highest price of one worker, in USD per hour. Undefined if the price of a pool or flavor is not known. The platform chooses
 * among the pools or flavors, so a worker can cost less.
 */
export function workerPrice(
  { gpu, cpu }: Hardware,
  { gpus, cpus }: Pick<LiveValues, 'gpus' | 'cpus'>,
): number | undefined {
  const prices = gpu
    ? gpu.pools.map((pool) => poolPrice(pool, gpu, gpus))
    : (cpu ?? []).map(({ id, vcpuCount }) => {
        const flavor = cpus?.find((one) => one.id === id);
        return flavor && flavor.price.serverlessPerVcpu * vcpuCount;
      });
  const known = prices.filter((price) => price !== undefined);
  return known.length > 0 && known.length === prices.length ? Math.max(...known) : undefined;
}

function poolPrice(
  pool: string,
  { count = 1, excludedTypes = [] }: NonNullable<Hardware['gpu']>,
  gpus: LiveValues['gpus'] = [],
): number | undefined {
  const prices = gpus
    .filter((type) => type.pool === pool && !excludedTypes.includes(type.id))
    .map(({ price }) => price.serverless);
  const known = prices.filter((price) => price !== undefined);
  return known.length > 0 ? Math.max(...known) * count : undefined;
}
