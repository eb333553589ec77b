import type { GateJob, GateReport } from '../../features/gate/model/gateReport.ts';
import { failureWords, jobLines, type Hide } from '../../features/gate/model/gateWords.ts';
import { junitReporter } from '../tests/report/junit.ts';
import type { TestResult } from '../tests/report/result.ts';

const OUTCOMES = {
  same: 'passed',
  fixed: 'passed',
  differs: 'failed',
  notRun: 'error',
} as const satisfies Record<GateJob['outcome'], TestResult['outcome']>;

/** Returns a report as the XML of JUnit: a test for each job, and one for the execution times. */
export function gateJunit(report: GateReport, hide: Hide): string {
  const { endpoint, jobs, failures } = report;
  const reporter = junitReporter();
  const base = { endpoint, mismatches: [], durationMs: 0, log: [] };
  for (const job of jobs) {
    const [reason, ...log] = jobLines(job, hide);
    const outcome = OUTCOMES[job.outcome];
    const words = outcome === 'passed' || reason === undefined ? {} : { reason, log };
    reporter.test({ ...base, path: job.name, outcome, durationMs: job.afterMs ?? 0, ...words });
  }
  const slower = failures.find(({ code }) => code === 'slower');
  const time = { ...base, path: 'execution time' };
  reporter.test(slower ? { ...time, outcome: 'failed', reason: failureWords(slower) } : { ...time, outcome: 'passed' });
  return reporter.end(undefined);
}
