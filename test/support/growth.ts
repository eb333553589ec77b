import assert from 'node:assert/strict';

/** Sizes of an input, each four times the one before, up to one mebibyte. */
export const UP_TO_1_MIB: readonly number[] = [16 * 1024, 64 * 1024, 256 * 1024, 1024 * 1024];

/** Work that grows with the square of its input takes 16 times as long for four times the input; linear work takes 4 times. */
const MOST_GROWTH = 12;
/** Below this much work, in microseconds, a ratio says nothing. */
const FLOOR_US = 8_000;
const RUNS = 2;
const ATTEMPTS = 4;

/**
 * Asserts that work grows linearly with its input: four times the input takes at most twelve times the processor time of this
 * thread. Each size is measured several times and the least counts. Small sizes come first, so that quadratic work fails early.
 *
 * @param sizes each four times the one before
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
      if (before === undefined || least / before <= MOST_GROWTH) break;
    }
    if (before !== undefined)
      assert.ok(
        least / before <= MOST_GROWTH,
        `an input of ${size} takes ${Math.round(least)} µs, ${(least / before).toFixed(1)} times as long as a quarter of it`,
      );
    before = Math.max(least, FLOOR_US);
  }
}

function cost<Input>(input: Input, work: (input: Input) => unknown): number {
  // Mocha keeps whole stacks: an error at each level of a deep recursion would cost the square of its depth.
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
