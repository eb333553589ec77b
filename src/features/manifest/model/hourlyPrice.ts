import type { CreateEndpointBody } from '../../../contract/endpoint.ts';
import { WORKER_DEFAULTS } from '../../../contract/endpoint.ts';
import type { LiveValues } from './liveValues.ts';

/** Range of a price in USD per hour. The service chooses one of several types of hardware. */
export interface HourlyPrice {
  readonly lowest: number;
  readonly highest: number;
}

type Hardware = Pick<CreateEndpointBody, 'gpu' | 'cpu' | 'workers'>;
type Prices = Pick<LiveValues, 'gpus' | 'cpus'>;

/** Returns the price of one running worker. Undefined if the catalog is not known or has no price for the hardware. */
export function workerPrice({ gpu, cpu }: Hardware, { gpus, cpus }: Prices): HourlyPrice | undefined {
  if (gpu) {
    const excluded = (gpu.excludedTypes ?? []).map((id) => id.trim());
    const types = gpus?.filter(({ id, pool }) => pool !== null && gpu.pools.includes(pool) && !excluded.includes(id));
    return rangeOf(types?.map(({ price }) => price.serverless && price.serverless * (gpu.count ?? 1)));
  }
  return rangeOf(
    cpu?.map(({ id, vcpuCount }) => {
      const price = cpus?.find((type) => type.id === id)?.price.serverlessPerVcpu;
      return price && price * vcpuCount;
    }),
  );
}

/** Returns the highest price of several endpoints with all their workers running. Undefined if a price is not known. */
export function highestPrice(endpoints: readonly Hardware[], prices: Prices): number | undefined {
  const each = endpoints.map((endpoint) => {
    const price = workerPrice(endpoint, prices);
    return price && price.highest * (endpoint.workers?.max ?? WORKER_DEFAULTS.max);
  });
  return each.every((price) => price !== undefined) ? each.reduce((sum, price) => sum + price, 0) : undefined;
}

/** Returns the range of known prices. Undefined if a price is missing. */
function rangeOf(prices: readonly (number | undefined)[] = []): HourlyPrice | undefined {
  const known = prices.filter((price) => price !== undefined);
  if (known.length === 0 || known.length < prices.length) return undefined;
  return { lowest: Math.min(...known), highest: Math.max(...known) };
}
