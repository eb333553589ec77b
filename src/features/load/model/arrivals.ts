/* Times of arrivals, in ms after the start of a load test. They do not depend on the responses (open loop). */

/** Arrivals at a rate, which can change evenly over time. */
export interface RateProfile {
  readonly kind: 'rate';
  /** Arrivals per second at the start. */
  readonly rate: number;
  /** Arrivals per second at the end. */
  readonly rampTo: number;
  readonly seconds: number;
  /** `constant`: with equal intervals at a constant rate. `poisson`: independent of each other, like those of many users. */
  readonly arrivals: 'constant' | 'poisson';
  /** Start of the random numbers. The same seed has the same arrivals. */
  readonly seed: number;
}

/** Recorded arrivals. */
export interface TraceProfile {
  readonly kind: 'trace';
  /** In ms after the first one, in ascending order. */
  readonly offsets: readonly number[];
}

export type LoadProfile = RateProfile | TraceProfile;

/** Returns the times of the arrivals in ascending order. Each one is computed when it is needed. */
export function* arrivalTimes(profile: LoadProfile): Generator<number, void, void> {
  if (profile.kind === 'trace') {
    yield* profile.offsets;
    return;
  }
  const { arrivals, seed, seconds } = profile;
  const random = randomNumbers(seed);
  // Arrivals at a rate of 1, whose time is then stretched so that their number grows like that of the profile.
  for (let sum = arrivals === 'poisson' ? exponential(random) : 0; ;) {
    const at = timeOf(sum, profile);
    if (!(at < seconds)) return;
    yield at * 1_000;
    sum += arrivals === 'poisson' ? exponential(random) : 1;
  }
}

/** Returns the number of arrivals that a profile has, or has on average. */
export function expectedArrivals(profile: LoadProfile): number {
  if (profile.kind === 'trace') return profile.offsets.length;
  return ((profile.rate + profile.rampTo) / 2) * profile.seconds;
}

/** Returns the time from the start until after the last arrival, in seconds. */
export function loadSeconds(profile: LoadProfile): number {
  return profile.kind === 'rate' ? profile.seconds : (profile.offsets.at(-1) ?? 0) / 1_000;
}

/** Returns the time in seconds at which a number of arrivals is reached. Infinity or NaN: never. */
function timeOf(count: number, { rate, rampTo, seconds }: RateProfile): number {
  const growth = (rampTo - rate) / seconds;
  // The solution of rate × t + growth × t² ÷ 2 = count. This form is also exact without growth.
  return count === 0 ? 0 : (2 * count) / (rate + Math.sqrt(rate * rate + 2 * growth * count));
}

function exponential(random: () => number): number {
  return -Math.log(1 - random());
}

/** Returns a generator of numbers from 0 up to, but not including, 1: the algorithm mulberry32, which needs no library. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
