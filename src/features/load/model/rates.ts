import type { RateProfile } from './arrivals.ts';

/** Highest rate per second. */
const MAX_RATE = 10_000;

type Rates = Pick<RateProfile, 'rate' | 'rampTo' | 'arrivals'>;

/** Reads a rate, or the rates at the start and at the end, such as `5-50`, and `random` for random times. Undefined: invalid. */
export function parseRates(text: string): Rates | undefined {
  const [, start, end = start, random] =
    /^(\d{1,5}(?:\.\d{1,3})?)(?:-(\d{1,5}(?:\.\d{1,3})?))?( {1,9}random)?$/.exec(text.trim()) ?? [];
  const [rate, rampTo] = [Number(start), Number(end)];
  if (!(rate + rampTo > 0) || Math.max(rate, rampTo) > MAX_RATE) return undefined;
  return { rate, rampTo, arrivals: random === undefined ? 'constant' : 'poisson' };
}

/** Writes rates as `parseRates` reads them. */
export function ratesText({ rate, rampTo, arrivals }: Rates): string {
  return `${rate}${rampTo === rate ? '' : `-${rampTo}`}${arrivals === 'poisson' ? ' random' : ''}`;
}
