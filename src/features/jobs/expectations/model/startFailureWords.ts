import * as l10n from '@vscode/l10n';
import type { LogFinding } from '../../../../account/diagnosis/logFindings.ts';

/** Describes why a worker cannot start, as a clause. The reasons are foreign text. */
export function startFailureWords(finding: LogFinding | undefined): string {
  switch (finding?.kind) {
    case undefined:
      return l10n.t('the worker cannot start, and its log contains no reason');
    case 'notStarted':
      return l10n.t`the worker cannot be started: ${finding.reason}`;
    case 'engineUnreachable':
      return l10n.t`the engine that runs the worker cannot be reached: ${finding.reason}`;
    case 'imageUnavailable':
      return l10n.t`the image of the worker is not available: ${finding.reason}`;
    case 'notReady':
      return l10n.t`the worker is not ready: ${finding.reason}`;
    case 'crash': {
      const { code, signal, outOfMemory, outOfDisk } = finding.exit ?? {};
      const how = signal !== undefined ? l10n.t`signal ${signal}` : l10n.t`exit code ${code ?? 'unknown'}`;
      const cause = outOfMemory ? l10n.t(', out of memory') : outOfDisk ? l10n.t(', out of disk space') : '';
      const last = finding.lastLines.findLast((line) => line.trim() !== '');
      return l10n.t`the worker exited at its start (${how}${cause})${last === undefined ? '' : `: ${last.trim()}`}`;
    }
  }
}
