import * as l10n from '@vscode/l10n';
import type { Worker } from '../../contract/worker.ts';
import { cents, precise, pricePerHour } from './money.ts';
import { choicePrices, rangeOf, type Hardware, type Prices } from './workerPrice.ts';

/* Cost of the present workers. */

export interface PriceSource {
  readonly prices: Prices;
  /** Whether the platform always provides the first pool or flavor, as the local platform does. */
  readonly takesFirst: boolean;
}

/** A price in USD per hour. */
export interface Rate {
  readonly usdPerHour: number;
  /** Whether the real price can be lower, because the platform chose among pools or flavors with different prices. */
  readonly isUpperBound: boolean;
}

/** Cost of a worker. */
export interface WorkerCost extends Rate {
  /** Cost since the start of the worker, in USD. Undefined if the platform does not report the start. */
  readonly soFar: number | undefined;
}

type Billed = Pick<Worker, 'status' | 'uptimeSeconds'>;

/** Returns whether the platform bills a worker now. Workers that wait for capacity or cannot run do not count. */
export function isBilled({ status, uptimeSeconds }: Billed): boolean {
  if (status === 'THROTTLED' || status === 'UNHEALTHY') return false;
  return status !== 'INITIALIZING' || uptimeSeconds != null;
}

/** Returns the price of a worker of an endpoint. Undefined if it is not known. */
export function rateOf(
  { gpuTypeId, gpuCount }: Pick<Worker, 'gpuTypeId' | 'gpuCount'>,
  hardware: Hardware,
  { prices, takesFirst }: PriceSource,
): Rate | undefined {
  const type = gpuTypeId == null ? undefined : prices.gpus?.find(({ id }) => id === gpuTypeId);
  if (type?.price.serverless !== undefined)
    return { usdPerHour: type.price.serverless * Math.max(1, gpuCount), isUpperBound: false };
  const { gpu } = hardware;
  const choices = choicePrices(gpu && gpuCount > 0 ? { gpu: { ...gpu, count: gpuCount } } : hardware, prices);
  const range = rangeOf(takesFirst ? choices.slice(0, 1) : choices);
  return range && { usdPerHour: range.most, isUpperBound: range.least < range.most };
}

/** Returns the cost of a worker. Undefined if the platform does not bill it now, or if its price is not known. */
export function workerCost(worker: Worker, hardware: Hardware, source: PriceSource): WorkerCost | undefined {
  const rate = isBilled(worker) ? rateOf(worker, hardware, source) : undefined;
  if (!rate) return undefined;
  const { uptimeSeconds } = worker;
  const soFar = uptimeSeconds == null ? undefined : costOf(uptimeSeconds, rate.usdPerHour);
  return { ...rate, soFar };
}

/** Returns the price of all present workers together. Undefined without billed workers, or if one of the prices is not known. */
export function presentRate(workers: readonly Worker[], hardware: Hardware, source: PriceSource): Rate | undefined {
  const rates = workers.filter(isBilled).map((worker) => rateOf(worker, hardware, source));
  const known = rates.filter((rate) => rate !== undefined);
  if (known.length === 0 || known.length < rates.length) return undefined;
  return {
    usdPerHour: known.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0),
    isUpperBound: known.some(({ isUpperBound }) => isUpperBound),
  };
}

const SECONDS_PER_HOUR = 3_600;

/** Returns the cost of a time at a price, in USD. */
export function costOf(seconds: number, usdPerHour: number): number {
  return (Math.max(0, seconds) / SECONDS_PER_HOUR) * usdPerHour;
}

/** Formats a price for a row, such as `$0.72/h` or `up to $0.72/h`. */
export function rateWords({ usdPerHour, isUpperBound }: Rate): string {
  return isUpperBound ? l10n.t`up to ${pricePerHour(usdPerHour)}` : pricePerHour(usdPerHour);
}

/** Formats a price for screen readers. */
export function spokenRate(rate: Rate): string {
  const price = precise(rate.usdPerHour);
  return rate.isUpperBound ? l10n.t`up to ${price} per hour` : l10n.t`${price} per hour`;
}

/** Formats the cost of a worker for its row, such as `$0.07 at $0.36/h`. Without a whole cent, only the price. */
export function workerCostWords({ soFar = 0, ...rate }: WorkerCost): string {
  return soFar < 0.01 ? rateWords(rate) : l10n.t`${cents(soFar)} at ${rateWords(rate)}`;
}
