/* Axes whose values span several powers of ten. */

export interface Axis {
  /** Returns the place of a value, rounded to tenths. */
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Ratio of the largest to the smallest value above which an axis is logarithmic. */
const WIDE = 8;
const MAX_TICKS = 7;

/**
 * Returns an axis for values that are at least 0. If they span powers of ten, the axis is logarithmic, and values near 0 are at its start.
 *
 * @param range places of the least and the largest value
 */
export function axisOf(values: readonly number[], [from, to]: readonly [number, number]): Axis {
  const least = values.reduce((one, other) => Math.min(one, other), Infinity);
  const most = Math.max(
    values.reduce((one, other) => Math.max(one, other), 0),
    Number.EPSILON,
  );
  const positive = values.filter((value) => value > 0).reduce((one, other) => Math.min(one, other), most);
  const isLogarithmic = most / positive > WIDE;
  // A thousandth of the largest value is as good as 0.
  const unit = Math.max(positive, most / 1_000);
  const scale = isLogarithmic ? (value: number) => Math.log10(Math.max(value, unit / 2)) : (value: number) => value;
  const low = isLogarithmic ? scale(Math.min(least, most)) : least > most / 2 ? least * 0.9 : 0;
  const high = isLogarithmic ? scale(most * 1.15) : most * 1.05;
  const at = (value: number) => Math.round((from + ((scale(value) - low) / (high - low || 1)) * (to - from)) * 10) / 10;
  const ticks = isLogarithmic ? powerTicks(10 ** low, 10 ** high) : evenTicks(low, high);
  return { at, ticks: isLogarithmic && least < unit / 2 ? [0, ...ticks.filter((tick) => tick > unit)] : ticks };
}

/** Returns 1, 2, and 5 times powers of ten, or only powers if they are too many. */
function powerTicks(low: number, high: number): number[] {
  const steps = [[1, 2, 5], [1, 3], [1]].map((factors) => {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      ticks.push(...factors.map((factor) => factor * 10 ** power));
    return ticks.filter((tick) => tick >= low * 0.999 && tick <= high);
  });
  return steps.find(({ length }) => length <= MAX_TICKS) ?? steps.at(-1) ?? [];
}

function evenTicks(low: number, high: number): number[] {
  const rough = (high - low) / MAX_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(Math.round(tick / step) * step);
  return ticks;
}
