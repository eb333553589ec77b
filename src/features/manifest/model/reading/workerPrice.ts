import type { Manifest } from '../../../../contract/manifest.ts';
import type { LiveValues } from '../liveValues.ts';

/**
 * Returns the highest price of one worker, in USD per hour. Undefined if the price of a pool or flavor is not known. The platform chooses
 * among the pools or flavors of the manifest, so a worker can cost less.
 */
export function workerPrice(
  { gpu, cpu }: Pick<Manifest, 'gpu' | 'cpu'>,
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
  { count = 1, excludedTypes = [] }: NonNullable<Manifest['gpu']>,
  gpus: LiveValues['gpus'] = [],
): number | undefined {
  const prices = gpus
    .filter((type) => type.pool === pool && !excludedTypes.includes(type.id))
    .map(({ price }) => price.serverless);
  const known = prices.filter((price) => price !== undefined);
  return known.length > 0 ? Math.max(...known) * count : undefined;
}
