import { constants } from 'node:os';
import type { ProcessExit } from '../../contract/systemLines.ts';

/** Engines add the number of the signal to this number, as shells do. */
const SIGNAL_BASE = 128;

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** Exit of a container whose end was not reported, for example because another program removed it. */
export const UNKNOWN_EXIT: ProcessExit = { code: null, signal: null };

/**
 * Returns the exit that the status of a container means.
 *
 * @param number number of the signal that ended the container, if the engine reports it separately
 */
export function exitOfStatus(status: number, number = status - SIGNAL_BASE): ProcessExit {
  const signal = SIGNALS.get(number);
  return signal === undefined ? { code: status, signal: null } : { code: null, signal };
}
