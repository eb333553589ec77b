import 'mocha/mocha.js';
import { testLine } from '../vscode/testLine.ts';

/* Entry point that the editor calls in its web worker. The runner adds the imports of the test files. */

/** Marks the line with the counts for the runner. */
export const COUNTS_MARK = 'counts: ';

const print = (line: string): void => console.log(testLine(line)); // eslint-disable-line no-console -- the only output of a web worker

mocha.setup({ ui: 'bdd', timeout: 60_000, reporter: 'base' });

/** Runs all tests. Rejects if one fails. */
export function run(): Promise<void> {
  return new Promise((resolve, reject) => {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const runner = mocha.run(() => {
      print(`${COUNTS_MARK}${JSON.stringify(counts)}`);
      if (counts.failed > 0) reject(new Error(`${counts.failed} tests failed`));
      else resolve();
    });
    runner.on('suite', ({ title }) => {
      if (title !== '') print(title);
    });
    runner.on('pass', ({ title }) => {
      counts.passed++;
      print(`  ✔ ${title}`);
    });
    runner.on('pending', ({ title }) => {
      counts.skipped++;
      print(`  - ${title}`);
    });
    runner.on('fail', ({ title }, error: Error) => {
      counts.failed++;
      print(`  ✗ ${title}`);
      for (const line of (error.stack ?? error.message).split('\n')) print(`    ${line}`);
    });
  });
}
