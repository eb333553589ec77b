import { stringify } from 'yaml';
import { plainLine } from '../../../features/jobs/actions/workerLogSince.ts';
import { pathText, type Mismatch, mismatchWords } from '../../../features/jobs/model/expectations/mismatch.ts';
import type { Reporter, TestResult } from './result.ts';

/** Writes the Test Anything Protocol, version 14. Diagnostics are YAML. */
export function tapReporter(): Reporter {
  let number = 0;
  return {
    begin: (tests) => `TAP version 14\n1..${tests}\n`,
    test: (result) => {
      const { path, outcome, skipped } = result;
      const skip = skipped === undefined ? '' : ` # SKIP ${description(skipped)}`;
      const line = `${outcome === 'passed' ? 'ok' : 'not ok'} ${++number} - ${description(path)}${skip}\n`;
      return line + block(diagnosticsOf(result));
    },
    end: (bailOut) => (bailOut === undefined ? '' : `Bail out! ${description(bailOut)}\n`),
  };
}

/** Escapes the characters that would begin a directive. */
function description(text: string): string {
  return plainLine(text).replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}

function diagnosticsOf(result: TestResult): Record<string, unknown> {
  const { outcome, durationMs, endpoint, reason, mismatches, jobId, workerId, log } = result;
  return {
    ...(reason !== undefined && { message: plainLine(reason) }),
    ...(outcome !== 'passed' && { severity: outcome === 'failed' ? 'fail' : 'error' }),
    duration_ms: durationMs,
    endpoint,
    ...(jobId !== undefined && { job: jobId }),
    ...(workerId !== undefined && { worker: workerId }),
    ...(mismatches.length > 0 && { mismatches: mismatches.map(mismatchEntry) }),
    ...(log.length > 0 && { log: log.map(plainLine) }),
  };
}

function mismatchEntry(mismatch: Mismatch): Record<string, unknown> {
  const { code, path } = mismatch;
  return { at: pathText(path), code, message: plainLine(mismatchWords(mismatch)) };
}

function block(diagnostics: Record<string, unknown>): string {
  const yaml = stringify(diagnostics, { lineWidth: 0 }).trimEnd();
  return `  ---\n${yaml.replaceAll(/^(?=.)/gm, '  ')}\n  ...\n`;
}
