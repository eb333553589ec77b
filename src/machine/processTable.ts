import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/* Process information from the operating system. */

/**
 * Resolves with the start time of a process, in the format of the operating system. Undefined if there is no such process or no time.
 *
 * @throws the error of the operating system if the time cannot be read now, such as with too many open files
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return linuxStart(pid);
  if (process.platform === 'win32') return undefined;
  // The process that compares the stored start time can have a different time zone or language.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env }).catch(
    (error: unknown) => {
      // The exit code 1 means that there is no such process.
      if ((error as { readonly code?: unknown }).code === 1) return { stdout: '' };
      throw error;
    },
  );
  return stdout.trim() || undefined;
}

async function linuxStart(pid: number): Promise<string | undefined> {
  const stat = await readIfPresent(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name is in parentheses and can contain any character, so fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  if (state === 'Z' || ticks === undefined) return undefined;
  const boot = (await readIfPresent('/proc/sys/kernel/random/boot_id')) ?? '';
  return `${boot.trim()} ${ticks}`;
}

/** Errors of files that do not exist: of an ended process, or in a sandbox. */
const ABSENT = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Returns whether a process with this PID exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Windows: ends a process and its descendants. Descendants whose parent has exited keep running. Does nothing if it has exited. */
export function endTree(pid: number): void {
  execFile('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => undefined);
}

/** Marks that related processes share. A process that carries either mark matches. */
export interface ProcessMark {
  /** Environment entry, `NAME=value`. */
  readonly environment: string;
  /** Soft limit of file locks, as `/proc/PID/limits` shows it. */
  readonly lockLimit: string;
}

/** Linux: returns the PIDs of the processes that carry one of these marks. */
export async function markedProcesses(marks: readonly ProcessMark[]): Promise<number[]> {
  const environments = new Set(marks.map(({ environment }) => environment));
  const lockLimits = new Set(marks.map(({ lockLimit }) => lockLimit));
  const names = await readdir('/proc').catch(() => []);
  const found: number[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    const lockLimit = await softLockLimit(name);
    if ((lockLimit !== undefined && lockLimits.has(lockLimit)) || (await hasEnvironment(name, environments))) {
      found.push(Number(name));
    }
  }
  return found;
}

async function hasEnvironment(name: string, entries: ReadonlySet<string>): Promise<boolean> {
  const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
  return environment.split('\0').some((entry) => entries.has(entry));
}

/** Linux: resolves with the soft limit of file locks, a number or `unlimited`. Undefined if unreadable. @param name PID, or `self` */
export async function softLockLimit(name: string): Promise<string | undefined> {
  const limits = await readFile(`/proc/${name}/limits`, 'utf8').catch(() => '');
  return /^Max file locks +(\w+)/m.exec(limits)?.[1];
}
