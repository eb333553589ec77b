import * as l10n from '@vscode/l10n';
import { PROCESS_IMAGE_PREFIX } from '../../contract/processImage.ts';
import type { Condition } from './endpointSnapshot.ts';
import type { WorkerExit } from '../../contract/systemLines.ts';

/* Texts that rows, tooltips, and documents share. */

export const conditionWords: Readonly<Record<Condition, string>> = {
  unhealthy: l10n.t('unhealthy'),
  throttled: l10n.t('throttled'),
  running: l10n.t('running'),
  initializing: l10n.t('initializing'),
  idle: l10n.t('idle'),
  paused: l10n.t('paused'),
  noWorkers: l10n.t('no workers'),
  unknown: l10n.t('workers unknown'),
};

/** Shortens a process image, which is a directory on this machine, to its last part. */
export function imageName(image: string): string {
  if (!image.startsWith(PROCESS_IMAGE_PREFIX)) return image;
  return `${PROCESS_IMAGE_PREFIX}…/${lastPart(image)}`;
}

/** Returns an image for a row, without its registry and folders, such as `worker:1.2`. */
export function shortImage(image: string): string {
  return image.startsWith(PROCESS_IMAGE_PREFIX) ? `${lastPart(image)}/` : lastPart(image.split('@sha256:', 1)[0] ?? '');
}

function lastPart(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
}

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
