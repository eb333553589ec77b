import type { Mismatch } from '../../../features/jobs/model/expectations/mismatch.ts';

/** Result of a test. */
export interface TestResult {
  /** Path of the job file relative to the folder, with slashes. */
  readonly path: string;
  /** Name of the endpoint. */
  readonly endpoint: string;
  /** `failed`: the job violated an expectation. `error`: the test could not run. */
  readonly outcome: 'passed' | 'failed' | 'error';
  readonly durationMs: number;
  /** Why the test passed without a run. */
  readonly skipped?: string;
  /** Reason of an error, and of a failure without mismatches. */
  readonly reason?: string;
  readonly mismatches: readonly Mismatch[];
  readonly jobId?: string;
  readonly workerId?: string;
  /** Lines of the worker's log for a test that did not pass. */
  readonly log: readonly string[];
}

/** Writes a report. Each function returns text that is appended to the report. */
export interface Reporter {
  begin(tests: number): string;
  test(result: TestResult): string;
  /** @param bailOut reason why the remaining tests did not run */
  end(bailOut: string | undefined): string;
}
