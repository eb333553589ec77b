import assert from 'node:assert/strict';

/** Input sizes up to 1 MiB. Each is four times the previous one. */
export const UP_TO_1_MIB: readonly number[] = [16 * 1024, 64 * 1024, 256 * 1024, 1024 * 1024];

/** Maximum growth for four times the input. Linear work takes 4 times as long, and quadratic work takes 16 times as long. */
const MAX_GROWTH = 12;
/** Processor time, in microseconds, below which a ratio is meaningless. */
const FLOOR_US = 8_000;
/** Maximum number of runs of a size that seems to take too long. */
const MAX_RUNS = 8;

/**
 * Asserts that work grows linearly with its input: four times the input takes at most twelve times the processor time of this
 * thread. Small sizes come first, so quadratic work fails early. The smallest one runs twice, because the first run compiles the work, and
 * its minimum counts. The others run again only if they take too long.
 *
 * @param sizes ascending; each is four times the previous one
 */
export function assertLinear<Input>(
  sizes: readonly number[],
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
): void {
  /** Most that the next size may take. */
  let most = Number.POSITIVE_INFINITY;
  for (const [index, size] of sizes.entries()) {
    const input = inputOf(size);
    const runs = index === 0 ? 2 : 1;
    let least = Number.POSITIVE_INFINITY;
    for (let run = 1; run <= MAX_RUNS; run++) {
      least = Math.min(least, cost(input, work));
      if (least <= most && (run >= runs || least <= FLOOR_US)) break;
    }
    const growth = (MAX_GROWTH * least) / most;
    assert.ok(
      least <= most,
      `an input of ${size} takes ${Math.round(least)} µs, ${growth.toFixed(1)} times as long as a quarter of it`,
    );
    most = MAX_GROWTH * Math.max(least, FLOOR_US);
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
