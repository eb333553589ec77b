import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { softLockLimit, type ProcessMark } from '../../machine/processTable.ts';

/*
 * Linux: how the processes of a run are known, also by a later platform. They carry a mark that the kernel hands from a process to its
 * children: the soft limit of file locks (RLIMIT_LOCKS), which Linux has ignored since version 2.4.25. Each run has a number of its own
 * there. A daemon keeps it in a session and a process group of its own, with another environment, and after its parents have ended.
 *
 * The limit is set by `prlimit`, a program of util-linux, which then becomes the worker. Where it is missing, or file locks are limited
 * already, only the environment tells: a daemon with an environment of its own outlives its worker there. The same holds for a process
 * that sets the limit itself.
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

/** The command with the mark set before it. @param canRun whether the system would start the command itself */
export async function marked(command: Command, runId: string, canRun: () => Promise<boolean>): Promise<Command> {
  const program = await (limiter ??= findLimiter());
  // A command that cannot be started is left as it is: the system says why.
  if (program === undefined || !(await canRun())) return command;
  return { file: program, args: [`--locks=${lockLimitOf(runId)}:`, '--', command.file, ...command.args] };
}

/** The program that sets limits. Looked for once. */
let limiter: Promise<string | undefined> | undefined;

async function findLimiter(): Promise<string | undefined> {
  if (process.platform !== 'linux' || (await softLockLimit('self')) !== 'unlimited') return undefined;
  for (const file of ['/usr/bin/prlimit', '/bin/prlimit']) if (await isExecutable(file)) return file;
  return undefined;
}

/** Where the system looks when the environment has no PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

/** Whether the system would find a program of that name, and may execute it: by its path, or in the directories of PATH. */
export async function isOnPath(file: string, directory: string, searched = DEFAULT_PATH): Promise<boolean> {
  if (file.includes('/')) return isExecutable(path.resolve(directory, file));
  for (const place of searched.split(':')) {
    if (await isExecutable(path.resolve(directory, place, file))) return true;
  }
  return false;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
