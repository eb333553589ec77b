import type { ContainerState } from '@docker/node-sdk';
import type { ProcessExit } from '../../../contract/systemLines.ts';
import { exitOfStatus, UNKNOWN_EXIT } from '../exitStatus.ts';

/** Returns the exit of a container that has ended. */
export function exitOf({ ExitCode: code, OOMKilled: outOfMemory }: ContainerState): ProcessExit {
  if (code === undefined) return UNKNOWN_EXIT;
  const exit = exitOfStatus(code);
  // The kernel may have killed a process that the worker could do without.
  return outOfMemory && code !== 0 ? { ...exit, reason: 'outOfMemory' } : exit;
}
