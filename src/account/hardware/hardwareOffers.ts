import { AVAILABILITY_LEVELS, type CatalogAvailability, type CpuType, type GpuType } from '../../contract/catalog.ts';
import { powersOfTwo } from '../../contract/hardwareRules.ts';
import type { HardwareNeeds } from './hardwareNeeds.ts';
import { NO_RUN_TIMES, runTimeOn, type RunTimes } from './runTimes.ts';

/*
 * The hardware of a catalog for the workers of one endpoint: each GPU pool and each CPU configuration, with its price and its stock, and
 * the reasons why it does not satisfy the endpoint.
 */

/** Hardware of a platform. The availability is that of workers with the GPU count and the CUDA versions of the needs. */
export interface HardwareStock {
  readonly gpus: readonly GpuType[];
  /** The GPU types with the availability on hosts with any CUDA version. Undefined if the needs restrict none. */
  readonly gpusOfAnyCuda?: readonly GpuType[] | undefined;
  readonly cpus: readonly CpuType[];
}

/**
 * Why hardware does not satisfy an endpoint.
 *
 * - `excluded`: `excludedTypes` excludes every GPU type of the pool.
 * - `gpuCount`: a worker gets fewer GPUs.
 * - `memory`: a worker has less memory.
 * - `cuda`: no host with an allowed CUDA version has stock.
 * - `noStock`: no data center has stock.
 * - `dataCenter`: only data centers that the endpoint cannot use have stock.
 * - `budget`: a month costs more than the budget.
 * - `gpuNeeded`: a CPU worker cannot mount a global volume.
 */
export type Reason = 'gpuNeeded' | 'excluded' | 'gpuCount' | 'memory' | 'cuda' | 'noStock' | 'dataCenter' | 'budget';

/** A GPU pool, or a CPU flavor with a number of vCPUs, for the workers of an endpoint. */
export interface HardwareOffer {
  readonly kind: 'gpu' | 'cpu';
  /** ID of the pool or the flavor. */
  readonly id: string;
  /** GPUs or vCPUs of a worker. */
  readonly count: number;
  /** IDs of all GPU types of the pool. Empty for CPUs. */
  readonly typeIds: readonly string[];
  /** Names of the GPU types of the pool, or of the flavor. */
  readonly names: readonly string[];
  /** Memory of one GPU, or of the worker if it has none, in GB. */
  readonly memoryGb: { readonly least: number; readonly most: number };
  /** Highest price of a worker in USD per hour. Undefined: unknown. */
  readonly usdPerHour: number | undefined;
  /** Best availability in the data centers that the endpoint can use. Undefined: unknown. */
  readonly stock: string | undefined;
  /** The usable data centers with stock, those with the most stock first. */
  readonly dataCenters: readonly string[];
  /** The other data centers with stock. */
  readonly elsewhere: readonly string[];
  /** Run time of a job in seconds. Undefined: unknown. */
  readonly secondsPerJob: number | undefined;
  /** Whether the run time was measured on this hardware. If not, it is that of other hardware. */
  readonly isMeasured: boolean;
  /** Cost of a job while a worker runs it, in USD. Undefined: unknown. */
  readonly usdPerJob: number | undefined;
  /** Least cost of a month, in USD. Undefined: unknown. */
  readonly usdPerMonth: number | undefined;
  /** Empty: the hardware satisfies the endpoint. */
  readonly reasons: readonly Reason[];
  /** Whether the endpoint allows this hardware now. */
  readonly isChosen: boolean;
}

const HOURS_PER_MONTH = 720;
const SECONDS_PER_HOUR = 3_600;
const DAYS_PER_MONTH = 30;

/** Returns the hardware of a platform for an endpoint, in the order of the catalog. GPU types outside all pools are left out. */
export function hardwareOffers(
  stock: HardwareStock,
  needs: HardwareNeeds,
  times: RunTimes = NO_RUN_TIMES,
): readonly HardwareOffer[] {
  const pools = Map.groupBy(
    stock.gpus.filter(({ pool }) => pool !== null),
    ({ pool }) => pool ?? '',
  );
  const gpus = [...pools].map(([id, types]) => poolOffer(id, types, stock, needs, times));
  const cpus = stock.cpus.flatMap((flavor) =>
    powersOfTwo(flavor.vcpu.min, flavor.vcpu.max).map((count) => cpuOffer(flavor, count, needs, times)),
  );
  return [...gpus, ...cpus];
}

function poolOffer(
  id: string,
  types: readonly GpuType[],
  { gpusOfAnyCuda }: HardwareStock,
  needs: HardwareNeeds,
  times: RunTimes,
): HardwareOffer {
  const { gpuCount: count, excludedTypes, memoryGb, chosen } = needs;
  const allowed = types.filter((type) => !excludedTypes.includes(type.id));
  const usable = allowed.filter(({ maxCount }) => count <= Math.max(maxCount.secure, maxCount.community));
  const described = usable.length > 0 ? usable : allowed.length > 0 ? allowed : types;
  const places = placesOf(described, needs);
  const prices = described.map(({ price }) => price.serverless);
  const usdPerHour = prices.some((price) => !isPrice(price)) ? undefined : Math.max(...prices.map(Number)) * count;
  const memory = rangeOf(described.map((type) => type.memory));
  const ids = new Set(described.map((type) => type.id));
  const withAnyCuda =
    gpusOfAnyCuda &&
    placesOf(
      gpusOfAnyCuda.filter((type) => ids.has(type.id)),
      needs,
    );
  const costs = costsOf({ kind: 'gpu', id, count }, usdPerHour, needs, times);
  const reasons: readonly (Reason | false)[] = [
    allowed.length === 0 && 'excluded',
    allowed.length > 0 && usable.length === 0 && 'gpuCount',
    memoryGb !== undefined && memory.least * count < memoryGb && 'memory',
    placeReason(places, withAnyCuda),
    isOverBudget(costs.usdPerMonth, needs) && 'budget',
  ];
  return {
    typeIds: types.map((type) => type.id),
    ...{ kind: 'gpu', id, count, names: described.map(({ name }) => name), memoryGb: memory, usdPerHour },
    ...places,
    ...costs,
    reasons: reasons.filter((reason) => reason !== false),
    isChosen: chosen.gpus.includes(id),
  };
}

function cpuOffer(flavor: CpuType, count: number, needs: HardwareNeeds, times: RunTimes): HardwareOffer {
  const { id, name, ramGbPerVcpu, price } = flavor;
  const { memoryGb, needsGpu, chosen } = needs;
  const places = placesOf([flavor], needs);
  const usdPerHour = isPrice(price.serverlessPerVcpu) ? price.serverlessPerVcpu * count : undefined;
  const memory = ramGbPerVcpu * count;
  const costs = costsOf({ kind: 'cpu', id, count }, usdPerHour, needs, times);
  const reasons: readonly (Reason | false)[] = [
    needsGpu && 'gpuNeeded',
    memoryGb !== undefined && memory < memoryGb && 'memory',
    placeReason(places, undefined),
    isOverBudget(costs.usdPerMonth, needs) && 'budget',
  ];
  return {
    ...{ kind: 'cpu', id, count, typeIds: [], names: [name], memoryGb: { least: memory, most: memory }, usdPerHour },
    ...places,
    ...costs,
    reasons: reasons.filter((reason) => reason !== false),
    isChosen: chosen.cpus.some((one) => one.id === id && one.vcpuCount === count),
  };
}

/** A platform without a price for some hardware can report 0, which is not a price. */
function isPrice(usd: number | undefined): usd is number {
  return usd !== undefined && Number.isFinite(usd) && usd > 0;
}

type Places = Pick<HardwareOffer, 'stock' | 'dataCenters' | 'elsewhere'>;

/** Returns where types of hardware have stock. */
function placesOf(types: readonly Stocked[], { dataCenters: usable }: HardwareNeeds): Places {
  const isUsable = (id: string) => usable === undefined || usable.includes(id);
  const best = new Map<string, string>();
  for (const { id, availability } of types.flatMap(({ dataCenters = [] }) => dataCenters))
    if (levelOf(availability) > levelOf(best.get(id))) best.set(id, availability);
  const inStock = [...best]
    .filter(([, level]) => isInStock(level))
    .sort(([a, one], [b, other]) => levelOf(other) - levelOf(one) || a.localeCompare(b));
  const here = inStock.filter(([id]) => isUsable(id));
  const elsewhere = inStock.filter(([id]) => !isUsable(id)).map(([id]) => id);
  const overall = types.map(({ availability }) => availability).reduce(betterOf, undefined);
  const isKnownHere = types.some(({ dataCenters }) => dataCenters !== undefined);
  const level = isKnownHere ? (here[0]?.[1] ?? (usable === undefined ? (overall ?? 'NONE') : 'NONE')) : undefined;
  return {
    stock: isKnownHere ? level : usable === undefined ? overall : overall === 'NONE' ? 'NONE' : undefined,
    dataCenters: here.map(([id]) => id),
    elsewhere,
  };
}

interface Stocked {
  readonly availability?: string | undefined;
  readonly dataCenters?: readonly CatalogAvailability[] | undefined;
}

function betterOf(one: string | undefined, other: string | undefined): string | undefined {
  return levelOf(other) > levelOf(one) ? other : one;
}

const LEVELS: readonly string[] = AVAILABILITY_LEVELS;

/** Returns the rank of a level. An unknown level means some stock, and no level the lowest rank. */
function levelOf(availability: string | undefined): number {
  if (availability === undefined) return -1;
  const index = LEVELS.indexOf(availability);
  return index < 0 ? LEVELS.indexOf('LOW') : index;
}

/** Returns whether a level of the catalog means stock. */
export function isInStock(availability: string | undefined): boolean {
  return levelOf(availability) > LEVELS.indexOf('NONE');
}

function placeReason({ stock, elsewhere }: Places, withAnyCuda: Places | undefined): Reason | false {
  if (stock === undefined || isInStock(stock)) return false;
  if (isInStock(withAnyCuda?.stock)) return 'cuda';
  return elsewhere.length > 0 ? 'dataCenter' : 'noStock';
}

function rangeOf(numbers: readonly number[]): HardwareOffer['memoryGb'] {
  return { least: Math.min(...numbers), most: Math.max(...numbers) };
}

type Costs = Pick<HardwareOffer, 'secondsPerJob' | 'isMeasured' | 'usdPerJob' | 'usdPerMonth'>;

/** Returns the costs of workers on hardware. A month has at least the workers that are always up, and the time of the jobs. */
function costsOf(
  hardware: Pick<HardwareOffer, 'kind' | 'id' | 'count'>,
  usdPerHour: number | undefined,
  { minWorkers }: HardwareNeeds,
  times: RunTimes,
): Costs {
  const { seconds, isMeasured } = runTimeOn(times, hardware);
  const busyHours = ((seconds ?? 0) * times.jobsPerDay * DAYS_PER_MONTH) / SECONDS_PER_HOUR;
  const hours = Math.max(minWorkers * HOURS_PER_MONTH, busyHours);
  return {
    ...{ secondsPerJob: seconds, isMeasured },
    usdPerJob:
      seconds === undefined || usdPerHour === undefined ? undefined : (seconds / SECONDS_PER_HOUR) * usdPerHour,
    usdPerMonth: usdPerHour === undefined ? undefined : usdPerHour * hours,
  };
}

function isOverBudget(usdPerMonth: number | undefined, { monthlyBudget }: HardwareNeeds): boolean {
  return monthlyBudget !== undefined && usdPerMonth !== undefined && usdPerMonth > monthlyBudget;
}

/** Orders of hardware. `cost`: the cost of a job where it is known, then the price per hour. */
export const SORTS = ['cost', 'memory', 'stock'] as const;
export type Sort = (typeof SORTS)[number];

/** Returns the hardware in an order. Unknown values are last, and equal ones in the order of costs. */
export function sortedOffers(offers: readonly HardwareOffer[], sort: Sort = 'cost'): readonly HardwareOffer[] {
  const byCost = (one: HardwareOffer, other: HardwareOffer) =>
    ascending(one.usdPerJob, other.usdPerJob) ||
    ascending(one.usdPerHour, other.usdPerHour) ||
    one.id.localeCompare(other.id) ||
    one.count - other.count;
  const orders: Readonly<Record<Sort, typeof byCost>> = {
    cost: byCost,
    memory: (one, other) => totalMemory(other) - totalMemory(one) || byCost(one, other),
    stock: (one, other) => levelOf(other.stock) - levelOf(one.stock) || byCost(one, other),
  };
  return offers.toSorted(orders[sort]);
}

/** Returns the least memory of a worker, in GB. */
function totalMemory({ kind, memoryGb, count }: HardwareOffer): number {
  return kind === 'gpu' ? memoryGb.least * count : memoryGb.least;
}

function ascending(one: number | undefined, other: number | undefined): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  return one - other;
}

/** Returns how many offers each reason excludes, the most frequent one first. */
export function countReasons(
  offers: readonly Pick<HardwareOffer, 'reasons'>[],
): readonly (readonly [Reason, number])[] {
  const counts = new Map<Reason, number>();
  for (const { reasons } of offers) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

/**
 * Returns the hardware of the same kind that the endpoint does not allow now, satisfies it, has at least the memory of the present choice, and
 * is known to be in stock. The cheapest is first.
 */
export function alternatives(
  offers: readonly HardwareOffer[],
  { chosen }: Pick<HardwareNeeds, 'chosen'>,
): readonly HardwareOffer[] {
  const kind = chosen.gpus.length > 0 ? 'gpu' : 'cpu';
  const counts = new Set(chosen.cpus.map(({ vcpuCount }) => vcpuCount));
  // The present choice tells the memory that the workers need, as far as that is known.
  const present = offers.filter(({ isChosen }) => isChosen);
  const least = present.length > 0 ? Math.min(...present.map(totalMemory)) : 0;
  const fits = (offer: HardwareOffer) =>
    offer.kind === kind &&
    !offer.isChosen &&
    offer.reasons.length === 0 &&
    isInStock(offer.stock) &&
    (kind === 'gpu' || counts.has(offer.count));
  return sortedOffers(offers.filter((offer) => fits(offer) && totalMemory(offer) >= least));
}
