import { median } from './load.ts';
import type { Measured } from './startGenerator.ts';

/** Time, in ms, after which no further round starts, so that a benchmark ends within two minutes on a slow machine. */
const MAX_DURATION_MS = 40_000;
const MIN_ROUNDS = 3;

type Alternatives<Name extends string, Value> = Readonly<Record<Name, () => Promise<Value> | Value>>;

/**
 * Measures alternatives alternately, so that other load on the machine affects all of them equally.
 *
 * @returns the measurements of each alternative, one per round
 */
export async function measureInTurns<Name extends string, Value = number>(
  alternatives: Alternatives<Name, Value>,
  mostRounds: number,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(alternatives) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Value[]>;
  const start = performance.now();
  for (let round = 0; round < mostRounds; round++) {
    if (round >= MIN_ROUNDS && performance.now() - start > MAX_DURATION_MS) break;
    for (const name of names) results[name].push(await alternatives[name]());
  }
  return results;
}

/** Units of times. */
const TIMES = new Set(['ms', 'µs']);

export interface Comparison {
  readonly name: string;
  /** Unit of the values. For times such as `ms`, less is better. For other units, such as `requests/s`, more is better. */
  readonly unit: string;
  readonly ours: readonly number[];
  /** Values of the alternative, one for each value of `ours`. */
  readonly alternative?: readonly number[];
  readonly note?: string;
}

/** Prints the heading for the lines of `report`. */
export function reportHeading(): void {
  console.log(line('', 'ours', 'alternative', 'ratio', 'spread'));
}

/** Prints one line: the medians, the speed relative to the alternative, and the lowest and highest ratio of all rounds. */
export function report({ name, unit, ours, alternative, note = '' }: Comparison): void {
  const own = quantity(median(ours), unit);
  if (!alternative) {
    console.log(line(name, own, '-', '-', '-', note));
    return;
  }
  const ratios = ours.map((value, round) => {
    const other = alternative[round] ?? Number.NaN;
    return TIMES.has(unit) ? other / value : value / other;
  });
  const spread = `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`;
  console.log(line(name, own, quantity(median(alternative), unit), median(ratios).toFixed(2), spread, note));
}

function line(name: string, ours: string, alternative: string, ratio: string, spread: string, note = ''): string {
  const columns = [
    name.padEnd(60),
    ours.padStart(18),
    alternative.padStart(18),
    ratio.padStart(9),
    spread.padStart(14),
  ];
  return `  ${columns.join('')}  ${note}`.trimEnd();
}

function quantity(value: number, unit: string): string {
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
}

export function reportRates(name: string, ours: readonly Measured[], alternative?: readonly Measured[]): void {
  const rates = (all: readonly Measured[]) => all.map(({ requestsPerSecond }) => requestsPerSecond);
  report({ name, unit: 'requests/s', ours: rates(ours), ...(alternative && { alternative: rates(alternative) }) });
}

/** Reports the rates of two programs, and their processor times per request. */
export function reportServers(name: string, ours: readonly Measured[], alternative: readonly Measured[]): void {
  const times = (all: readonly Measured[]) => all.map(({ microseconds }) => microseconds);
  reportRates(name, ours, alternative);
  report({ name: `${name}, processor time`, unit: 'µs', ours: times(ours), alternative: times(alternative) });
}
