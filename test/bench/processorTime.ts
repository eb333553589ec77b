import { readFileSync } from 'node:fs';
import process from 'node:process';

/** Clock ticks per second in `/proc`, which are the same on all current Linux systems. */
const TICKS_PER_SECOND = 100;

/** Returns the processor time of processes, in seconds, from the account of the system. NaN on other systems than Linux. */
export function processorTime(pids: readonly number[]): number {
  if (process.platform !== 'linux') return Number.NaN;
  return pids.reduce((sum, pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name of the program in parentheses, which can contain spaces. The times are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }, 0);
}
