import { writeFileSync } from 'node:fs';
import process from 'node:process';
import Mocha from 'mocha';

/** Environment variable with the path of the file to which a mocha run writes its results. */
export const resultsVariable = 'CLOUD_COMPUTE_TEST_RESULTS';

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface TestResults extends TestCounts {
  readonly failures: readonly TestFailure[];
}

export interface TestFailure {
  /** Names of the suites and of the test. */
  readonly title: string;
  readonly reason: string;
}

/** Number of characters of a reason that is repeated at the end of all stages. */
const LONGEST_REASON = 600;

/** Prints Mocha's spec report and writes the results for scripts/test.ts. */
export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const output = process.env[resultsVariable];
    if (output === undefined) return;
    const failures: TestFailure[] = [];
    // An error of a parallel run is a copy without its class.
    runner.on('fail', (test, error: Partial<Error>) => {
      const reason = error.message ?? String(error);
      failures.push({ title: test.titlePath().join(' › '), reason: reason.slice(0, LONGEST_REASON) });
    });
    runner.once('end', () => {
      const { passes: passed, failures: failed, pending: skipped } = this.stats;
      const results: TestResults = { passed, failed, skipped, failures };
      writeFileSync(output, JSON.stringify(results));
    });
  }
}
