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

export interface TestResults extends TestCounts {
  /** Counts of each file with a failure, by absolute path. */
  readonly failedFiles: Readonly<Record<string, TestCounts>>;
}

/** Prints Mocha's spec report and writes the counts for scripts/test.ts. */
export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const output = process.env[resultsVariable];
    if (output === undefined) return;
    const files = new Map<string, { passed: number; failed: number; skipped: number }>();
    const add = (outcome: keyof TestCounts) => (test: Mocha.Runnable) => {
      const file = test.file ?? '';
      const counts = files.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
      counts[outcome]++;
      files.set(file, counts);
    };
    runner.on('pass', add('passed')).on('fail', add('failed')).on('pending', add('skipped'));
    runner.once('end', () => {
      const results: TestResults = {
        passed: this.stats.passes,
        failed: this.stats.failures,
        skipped: this.stats.pending,
        failedFiles: Object.fromEntries([...files].filter(([, { failed }]) => failed > 0)),
      };
      writeFileSync(output, JSON.stringify(results));
    });
  }
}
