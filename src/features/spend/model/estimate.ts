import type { CpuType, GpuType } from '../../../contract/catalog.ts';
import { costOf } from '../../../account/prices/workerCost.ts';
import { choicePrices, rangeOf, type Hardware, type Prices } from '../../../account/prices/workerPrice.ts';

/*
 * Estimate of what an endpoint costs. A worker is billed from its start to its end, so a day has three terms: the jobs, the starts, and the
 * time that workers wait for the next job. The jobs are spread evenly over the day.
 */

const SECONDS_PER_DAY = 86_400;
/** Days of the month that an estimate is for. */
export const DAYS_PER_MONTH = 30;

export interface EstimateInput {
  /** Hardware of the endpoint or the manifest. */
  readonly hardware: Hardware;
  readonly prices: Prices;
  /** Billed time of one job, in seconds. */
  readonly secondsPerJob: number;
  readonly jobsPerDay: number;
  /** Time between the start of a worker and its first job, in seconds. 0 if the time of a job includes it. */
  readonly coldStartSeconds: number;
  /** Time before an idle worker stops, in seconds. 0 if the time of a job includes it. */
  readonly idleTimeoutSeconds: number;
  /** Number of workers that are always up. */
  readonly minWorkers: number;
}

/**
 * How workers wait between jobs.
 *
 * - `alwaysOn`: the minimum number of workers is always up.
 * - `startPerJob`: the pause between two jobs exceeds the idle timeout, so each job starts a worker.
 * - `staysUp`: the pause is shorter, so workers stay up all day.
 */
export type Pattern = 'alwaysOn' | 'startPerJob' | 'staysUp';

/** Billed time of one day, in seconds. */
export interface DailyTime {
  readonly pattern: Pattern;
  readonly jobs: number;
  /** Number of starts of workers. */
  readonly starts: number;
  readonly starting: number;
  readonly idle: number;
  readonly total: number;
}

/** Cost on one GPU pool or CPU flavor, in USD. */
export interface Offer {
  readonly kind: 'gpu' | 'cpu';
  /** ID of the pool or the flavor. */
  readonly id: string;
  /** GPUs or vCPUs of a worker. */
  readonly count: number;
  /** Names of the GPU types of the pool, or of the flavor. */
  readonly names: readonly string[];
  /** Price of one worker. If the GPU types of a pool differ in price, the highest one. */
  readonly perHour: number;
  readonly perJob: number;
  readonly perDay: number;
  readonly perMonth: number;
  /** Whether the hardware of the input allows it. */
  readonly isChosen: boolean;
}

export interface Estimate {
  readonly time: DailyTime;
  /** Offers with a known price, cheapest first. */
  readonly offers: readonly Offer[];
}

/** Estimates the cost on every GPU pool and CPU flavor of a catalog. */
export function estimateCosts(input: EstimateInput): Estimate {
  const time = dailyTime(input);
  const offers = [...gpuOffers(input, time), ...cpuOffers(input, time)];
  return { time, offers: offers.sort((a, b) => a.perHour - b.perHour || a.id.localeCompare(b.id)) };
}

/** Returns the billed time of one day. */
export function dailyTime(input: Omit<EstimateInput, 'hardware' | 'prices'>): DailyTime {
  const { secondsPerJob, jobsPerDay, coldStartSeconds, idleTimeoutSeconds, minWorkers } = input;
  const jobs = secondsPerJob * jobsPerDay;
  const pause = jobsPerDay === 0 ? Infinity : SECONDS_PER_DAY / jobsPerDay - secondsPerJob;
  const pattern = minWorkers > 0 ? 'alwaysOn' : pause > idleTimeoutSeconds ? 'startPerJob' : 'staysUp';
  const starts = pattern === 'startPerJob' ? jobsPerDay : 0;
  const starting = starts * coldStartSeconds;
  const idle = idleSeconds(pattern, jobs, input);
  return { pattern, jobs, starts, starting, idle, total: jobs + starting + idle };
}

function idleSeconds(
  pattern: Pattern,
  jobs: number,
  {
    jobsPerDay,
    idleTimeoutSeconds,
    minWorkers,
  }: Pick<EstimateInput, 'jobsPerDay' | 'idleTimeoutSeconds' | 'minWorkers'>,
): number {
  if (pattern === 'startPerJob') return jobsPerDay * idleTimeoutSeconds;
  // A time of a job that includes the waiting has no idle time of its own.
  if (pattern === 'staysUp' && idleTimeoutSeconds === 0) return 0;
  const workers = pattern === 'alwaysOn' ? minWorkers : Math.ceil(jobs / SECONDS_PER_DAY);
  return Math.max(0, workers * SECONDS_PER_DAY - jobs);
}

function gpuOffers(input: EstimateInput, time: DailyTime): Offer[] {
  const { hardware, prices } = input;
  const { pools = [], count = 1, excludedTypes = [] } = hardware.gpu ?? {};
  const types = (prices.gpus ?? []).filter(
    ({ id, maxCount }) => !excludedTypes.includes(id) && count <= most(maxCount),
  );
  const ids = [...new Set(types.flatMap(({ pool }) => pool ?? []))];
  return ids.flatMap((id) => {
    const range = rangeOf(choicePrices({ gpu: { pools: [id], count, excludedTypes } }, { gpus: types }));
    if (!range) return [];
    const names = types.filter(({ pool }) => pool === id).map(({ name }) => name);
    return [
      { kind: 'gpu', id, count, names, isChosen: pools.includes(id), ...costs(range.most, input, time) } as const,
    ];
  });
}

function most({ secure, community }: GpuType['maxCount']): number {
  return Math.max(secure, community);
}

function cpuOffers(input: EstimateInput, time: DailyTime): Offer[] {
  const { hardware, prices } = input;
  const chosen = hardware.cpu ?? [];
  return (prices.cpus ?? []).flatMap((flavor) =>
    countsOf(flavor, chosen).map((count): Offer => {
      const perHour = flavor.price.serverlessPerVcpu * count;
      const isChosen = chosen.some(({ id, vcpuCount }) => id === flavor.id && vcpuCount === count);
      return { kind: 'cpu', id: flavor.id, count, names: [flavor.name], isChosen, ...costs(perHour, input, time) };
    }),
  );
}

/** Returns the numbers of vCPUs to compare: those that the hardware allows, or the lowest one of the flavor. */
function countsOf({ vcpu }: CpuType, chosen: NonNullable<Hardware['cpu']>): number[] {
  if (chosen.length === 0) return [vcpu.min];
  const counts = [...new Set(chosen.map(({ vcpuCount }) => vcpuCount))];
  return counts.filter((count) => count >= vcpu.min && count <= vcpu.max);
}

function costs(perHour: number, { secondsPerJob }: EstimateInput, { total }: DailyTime) {
  const perDay = costOf(total, perHour);
  return { perHour, perJob: costOf(secondsPerJob, perHour), perDay, perMonth: perDay * DAYS_PER_MONTH };
}
