import type { LogFinding } from '../../../endpoints/diagnosis/logFindings.ts';

/** Describes why a worker cannot start, as a clause. The reasons are foreign text. */
export function startFailureWords(finding: LogFinding | undefined): string {
  switch (finding?.kind) {
    case undefined:
      return 'the worker cannot start, and its log contains no reason';
    case 'notStarted':
      return `the worker cannot be started: ${finding.reason}`;
    case 'engineUnreachable':
      return `the engine that runs the worker cannot be reached: ${finding.reason}`;
    case 'imageUnavailable':
      return `the image of the worker is not available: ${finding.reason}`;
    case 'notReady':
      return `the worker is not ready: ${finding.reason}`;
    case 'crash': {
      const { code, signal, outOfMemory, outOfDisk } = finding.exit ?? {};
      const how = signal !== undefined ? `signal ${signal}` : `exit code ${code ?? 'unknown'}`;
      const cause = outOfMemory ? ', out of memory' : outOfDisk ? ', out of disk space' : '';
      const last = finding.lastLines.findLast((line) => line.trim() !== '');
      return `the worker exited at its start (${how}${cause})${last === undefined ? '' : `: ${last.trim()}`}`;
    }
  }
}
