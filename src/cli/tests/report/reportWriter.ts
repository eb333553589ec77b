import type { Reporter, TestResult } from './result.ts';

/** Writes a report with the results in the order of the tests, although the tests end in any order. */
export class ReportWriter<Test> {
  readonly #reporter: Reporter;
  readonly #tests: readonly Test[];
  readonly #results = new Map<Test, TestResult>();

  constructor(reporter: Reporter, tests: readonly Test[]) {
    this.#reporter = reporter;
    this.#tests = tests;
  }

  add(test: Test, result: TestResult): void {
    this.#results.set(test, result);
  }

  /** Numbers of results by outcome. */
  get counts(): Readonly<Record<TestResult['outcome'], number>> {
    const count = (outcome: TestResult['outcome']) =>
      [...this.#results.values()].filter((result) => result.outcome === outcome).length;
    return { passed: count('passed'), failed: count('failed'), error: count('error') };
  }

  /** Returns the whole report. @param bailOut reason why tests without a result did not run */
  end(bailOut: string | undefined): string {
    const results = this.#tests.flatMap((test) => this.#results.get(test) ?? []);
    return [
      this.#reporter.begin(this.#tests.length),
      ...results.map((result) => this.#reporter.test(result)),
      this.#reporter.end(bailOut),
    ].join('');
  }
}
