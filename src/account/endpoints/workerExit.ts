import * as l10n from '@vscode/l10n';
import type { WorkerExit } from '../../contract/systemLines.ts';

/** Exit code that a shell reports for a process killed by SIGKILL: 128 plus the number of the signal. */
const KILLED = 137;

/** Describes how a process ended, such as `exit code 1` or `signal SIGKILL`. */
export function exitText({ code, signal, outOfMemory, outOfDisk }: WorkerExit = {}): string {
  if (outOfDisk) return l10n.t('out of disk space');
  if (signal !== undefined) return l10n.t`signal ${signal}`;
  const parts = [
    ...(code === undefined ? [] : [l10n.t`exit code ${code}`]),
    ...(outOfMemory ? [l10n.t('out of memory')] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : l10n.t('exit code unknown');
}

/** Returns whether a process ended the way processes end that ran out of memory. */
export function mayBeOutOfMemory({ code, signal, outOfMemory, outOfDisk }: WorkerExit = {}): boolean {
  if (outOfDisk) return false;
  return outOfMemory === true || code === KILLED || signal === 'SIGKILL';
}
