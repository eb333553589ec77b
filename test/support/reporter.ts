import { writeFileSync } from 'node:fs';
import process from 'node:process';
import Mocha from 'mocha';

/** Environment variable with the path of the file to which a mocha run writes its counts. */
export const resultsVariable = 'CLOUD_COMPUTE_TEST_RESULTS';

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Prints Mocha's spec report and writes the counts for scripts/test.ts. */
export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const output = process.env[resultsVariable];
    if (output === undefined) return;
    runner.once('end', () => {
      const { passes: passed, failures: failed, pending: skipped } = this.stats;
      const counts: TestCounts = { passed, failed, skipped };
      writeFileSync(output, JSON.stringify(counts));
    });
  }
}
