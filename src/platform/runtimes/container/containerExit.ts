import { constants } from 'node:os';
import type { ContainerState } from '@docker/node-sdk';
import type { ProcessExit } from '../../../contract/systemLines.ts';

/** Exit of a container that vanished, for example because another program removed it. */
export const UNKNOWN_EXIT: ProcessExit = { code: null, signal: null };

/** Engines add the number of the signal to this number, as shells do. */
const SIGNAL_BASE = 128;

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** Returns the exit of a container that has ended. */
export function exitOf({ ExitCode: code, OOMKilled: outOfMemory }: ContainerState): ProcessExit {
  if (code === undefined) return UNKNOWN_EXIT;
  const signal = code > SIGNAL_BASE ? SIGNALS.get(code - SIGNAL_BASE) : undefined;
  const exit = signal === undefined ? { code, signal: null } : { code: null, signal };
  // The kernel may have killed a process that the worker could do without.
  return outOfMemory && code !== 0 ? { ...exit, reason: 'outOfMemory' } : exit;
}
