import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { softLockLimit, type ProcessMark } from '../../../machine/processTable.ts';

/*
 * Linux: marks the processes of a run, so that even a later platform can find them. The mark is inherited by child processes: it is the
 * soft limit of file locks (RLIMIT_LOCKS), which Linux has ignored since version 2.4.25. Each run has a unique value. A daemon keeps the
 * mark in its own session and process group, with a different environment, and after its parents have exited.
 *
 * `prlimit` of util-linux sets the limit, or the shell if `prlimit` is missing. Either one then replaces itself with the worker. If neither
 * works, or file locks are already limited, only the environment identifies processes. A daemon with a different environment then outlives
 * its worker. A process that changes both the limit and its environment always does.
 */

/** Environment variable that identifies the processes of a run. */
export const RUN_MARKER = 'CLOUD_COMPUTE_RUN';

export const markOf = (runId: string): ProcessMark => ({
  environment: `${RUN_MARKER}=${runId}`,
  lockLimit: lockLimitOf(runId),
});

/** Returns the ID in the mark of the process that preloads modules for a run, and for later ones. */
export const preloaderOf = (runId: string): string => `${runId}-preload`;

/** Resolves with the limit that marks a forked process of the run. Undefined if limits mark no processes on this machine. */
export async function lockLimit(runId: string, limiter: Promise<Limiter | undefined> = ownLimiter()) {
  return (await limiter) && Number(lockLimitOf(runId));
}

/** Returns a value that is too large for a real limit and exact in the arithmetic of any shell. */
function lockLimitOf(runId: string): string {
  const digest = createHash('sha256').update(runId).digest();
  return String(2 ** 50 + digest.readUIntBE(0, 6));
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/** Tool that sets the limit. The shell drops variables that are not valid shell names, such as names with a dot. */
export type Limiter = { readonly prlimit: string } | { readonly shell: string };

/**
 * Prefixes a command with the one that sets the mark. Leaves a command that cannot start unchanged, so that the system reports the error.
 *
 * @param env environment of the command
 */
export async function marked(
  command: Command,
  runId: string,
  { directory, env }: { directory: string; env: Readonly<Record<string, string>> },
  limiter = ownLimiter(),
): Promise<Command> {
  const found = await limiter;
  if (!found || !(await findProgram(command.file, directory, env['PATH']))) return command;
  const limit = lockLimitOf(runId);
  const args = [command.file, ...command.args];
  if ('prlimit' in found) return { file: found.prlimit, args: [`--locks=${limit}:`, '--', ...args] };
  if (!Object.keys(env).every((name) => SHELL_NAME.test(name))) return command;
  return { file: found.shell, args: ['-c', SHELL_SCRIPT, limit, ...args] };
}

const SHELL_NAME = /^[A-Za-z_]\w*$/;
/** Tries both option letters, because shells differ. */
const SHELL_SCRIPT = 'ulimit -S -w "$0" 2>/dev/null || ulimit -S -x "$0" 2>/dev/null; exec "$@"';

/** Result of the search, which runs only once. */
let own: Promise<Limiter | undefined> | undefined;
const ownLimiter = (): Promise<Limiter | undefined> => (own ??= findLimiter());

async function findLimiter(): Promise<Limiter | undefined> {
  if (process.platform !== 'linux' || (await softLockLimit('self')) !== 'unlimited') return undefined;
  const prlimit = (await findProgram('prlimit', '/')) ?? (await findProgram('prlimit', '/', process.env['PATH']));
  if (prlimit !== undefined && (await works(prlimit))) return { prlimit };
  const shell = await findProgram('sh', '/');
  return shell === undefined ? undefined : { shell };
}

/** Resolves with true if a trial run of `prlimit` succeeds. Some containers forbid the system call. */
async function works(prlimit: string): Promise<boolean> {
  const trial = [`--locks=${lockLimitOf('')}:`, '--', prlimit, '--version'];
  return promisify(execFile)(prlimit, trial).then(
    () => true,
    () => false,
  );
}

/** Search path of the system if the environment has no PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

/** Finds the file that the system would execute for a name: a path, or a program in the directories of PATH. */
async function findProgram(name: string, directory: string, searched = DEFAULT_PATH): Promise<string | undefined> {
  const places = name.includes('/') ? [''] : searched.split(':');
  for (const place of places) {
    const file = path.resolve(directory, place, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
