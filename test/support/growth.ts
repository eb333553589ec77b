import assert from 'node:assert/strict';

/** Input sizes up to 1 MiB. Each is four times the previous one. */
export const UP_TO_1_MIB: readonly number[] = [16 * 1024, 64 * 1024, 256 * 1024, 1024 * 1024];

/** Maximum growth for four times the input. Linear work takes 4 times as long, and quadratic work takes 16 times as long. */
const MAX_GROWTH = 12;
/** Processor time, in microseconds, below which a ratio is meaningless. */
const FLOOR_US = 8_000;
const RUNS = 2;
const ATTEMPTS = 4;

/**
 * Asserts that work grows linearly with its input: four times the input takes at most twelve times the processor time of this
 * thread. Each size is measured several times, and the minimum counts. Small sizes come first, so quadratic work fails early.
 *
 * @param sizes ascending; each is four times the previous one
 */
export function assertLinear<Input>(
  sizes: readonly number[],
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
): void {
  let before: number | undefined;
  for (const size of sizes) {
    const input = inputOf(size);
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      for (let run = 0; run < RUNS; run++) least = Math.min(least, cost(input, work));
      if (before === undefined || least / before <= MAX_GROWTH) break;
    }
    if (before !== undefined)
      assert.ok(
        least / before <= MAX_GROWTH,
        `an input of ${size} takes ${Math.round(least)} µs, ${(least / before).toFixed(1)} times as long as a quarter of it`,
      );
    before = Math.max(least, FLOOR_US);
  }
}

function cost<Input>(input: Input, work: (input: Input) => unknown): number {
  // Mocha removes the limit of stack traces, so errors at each level of a deep recursion would cost quadratic time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 10;
  try {
    const start = process.threadCpuUsage();
    work(input);
    const { user, system } = process.threadCpuUsage(start);
    return user + system;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
