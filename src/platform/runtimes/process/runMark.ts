import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { softLockLimit, type ProcessMark } from '../../../machine/processTable.ts';

/*
 * Linux: how the processes of a run are known, also by a later platform. They carry a mark that the kernel hands from a process to its
 * children: the soft limit of file locks (RLIMIT_LOCKS), which Linux has ignored since version 2.4.25. Each run has a number of its own
 * there. A daemon keeps it in a session and a process group of its own, with another environment, and after its parents have ended.
 *
 * The limit is set by `prlimit`, a program of util-linux, or by the shell where that is missing. Either then becomes the worker. Where
 * neither can do it, or file locks are limited already, only the environment tells: a daemon with an environment of its own outlives its
 * worker there. The same holds for a process that sets the limit itself.
 */

/** Environment entry by which a process of ours is known. */
export const RUN_MARKER = 'CLOUD_COMPUTE_RUN';

export const markOf = (runId: string): ProcessMark => ({
  environment: `${RUN_MARKER}=${runId}`,
  lockLimit: lockLimitOf(runId),
});

/** Too large to be anybody's limit, and exact in the arithmetic of any shell. */
function lockLimitOf(runId: string): string {
  const digest = createHash('sha256').update(runId).digest();
  return String(2 ** 50 + digest.readUIntBE(0, 6));
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/** What sets the limit. The shell hands on only variables that it could have itself: names with a dot are lost there. */
export type Limiter = { readonly prlimit: string } | { readonly shell: string };

/**
 * The command with the mark set before it. A command that the system would not start is left as it is, so that the system says why.
 *
 * @param env its environment
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
/** Shells disagree on the letter of this limit. */
const SHELL_SCRIPT = 'ulimit -S -w "$0" 2>/dev/null || ulimit -S -x "$0" 2>/dev/null; exec "$@"';

/** Looked for once. */
let own: Promise<Limiter | undefined> | undefined;
const ownLimiter = (): Promise<Limiter | undefined> => (own ??= findLimiter());

async function findLimiter(): Promise<Limiter | undefined> {
  if (process.platform !== 'linux' || (await softLockLimit('self')) !== 'unlimited') return undefined;
  const prlimit = (await findProgram('prlimit', '/')) ?? (await findProgram('prlimit', '/', process.env['PATH']));
  if (prlimit !== undefined && (await works(prlimit))) return { prlimit };
  const shell = await findProgram('sh', '/');
  return shell === undefined ? undefined : { shell };
}

/** Whether it may set the limit here, tried on itself: some containers forbid the system call. */
async function works(prlimit: string): Promise<boolean> {
  const trial = [`--locks=${lockLimitOf('')}:`, '--', prlimit, '--version'];
  return promisify(execFile)(prlimit, trial).then(
    () => true,
    () => false,
  );
}

/** Where the system looks when the environment has no PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

/** The file that the system would execute for a name: a path, or a program in the directories of PATH. */
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
