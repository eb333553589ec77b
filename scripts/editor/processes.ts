import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { livingProcesses, type ProcessInfo } from './processTable.ts';
import { registerCleanup } from './shutdown.ts';

/**
 * Environment variable that marks all started processes, so that descendants in other process groups can be found. Its value is a list of
 * ids, because a started process can use this module as well.
 */
const marker = 'CLOUD_COMPUTE_STARTED_BY';

export interface StartOptions {
  readonly cwd?: string;
  /** The whole environment. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Called with each line of standard output and standard error. */
  readonly onLine?: (line: string) => void;
  /** Text in the command line of all descendants. Identifies descendants that clear their environment. */
  readonly commandMarker?: string;
}

export interface StopResult {
  /** Processes that did not exit within the grace period and were killed. */
  readonly killed: readonly ProcessInfo[];
}

/** A child process with its descendants. */
export interface ProcessGroup {
  readonly pid: number;
  /** Resolves with the exit code of the child, or with the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Returns the last lines that the child printed. */
  lastLines(): string;
  /** Returns the processes of the group that are still running. */
  alive(): ProcessInfo[];
  /**
   * Resolves after the exit of the child with the processes that it left running. They have `graceMs` to notice its exit, such as at the end
   * of a pipe.
   */
  leftBehind(graceMs?: number): Promise<ProcessInfo[]>;
  /**
   * Sends SIGTERM to the group, waits about `graceMs`, and kills the remaining processes. On Windows, kills the processes at once. Resolves
   * once all have exited.
   */
  stop(graceMs?: number): Promise<StopResult>;
}

/** Starts a program in a new process group, which ends when this process exits for any reason. @throws Error if it cannot start */
export function startGroup(file: string, args: readonly string[], options: StartOptions = {}): ProcessGroup {
  const id = randomUUID();
  const child = execa(file, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...(options.env ?? process.env), [marker]: `${process.env[marker] ?? ''} ${id}` },
    extendEnv: false,
    detached: process.platform !== 'win32',
    stdin: 'ignore',
    all: true,
    buffer: false,
    reject: false,
  });
  const { pid } = child;
  if (pid === undefined) {
    throw new Error(`Could not start ${file}. Check that the file exists and is executable.`);
  }

  const lines: string[] = [];
  createInterface({ input: child.all }).on('line', (line) => {
    lines.push(line);
    if (lines.length > 200) {
      lines.shift();
    }
    options.onLine?.(line);
  });

  const isOurs = (one: ProcessInfo): boolean =>
    one.pid !== process.pid &&
    (one.group === pid ||
      one.environment.includes(id) ||
      (options.commandMarker !== undefined && one.command.includes(options.commandMarker)));
  const alive = (): ProcessInfo[] => livingProcesses().filter(isOurs);
  const signalAll = (signal: NodeJS.Signals): void => {
    if (process.platform === 'win32') {
      endTree(pid);
      return;
    }
    signalQuietly(-pid, signal);
    // Descendants that left the group are ended by their parents. SIGKILL leaves no time for that, so kill them here.
    if (signal === 'SIGKILL') {
      alive().forEach((one) => signalQuietly(one.pid, signal));
    }
  };

  const unregister = registerCleanup({ stop: () => stop(), kill: () => signalAll('SIGKILL') });
  const exited = child.then((result) => result.exitCode ?? result.signal ?? 1);

  async function stop(graceMs = 8000): Promise<StopResult> {
    const killed = new Map<number, ProcessInfo>();
    const kill = (some: readonly ProcessInfo[]): void => {
      some.forEach((one) => killed.set(one.pid, one));
      some.forEach((one) => signalQuietly(one.pid, 'SIGKILL'));
    };
    signalAll('SIGTERM');
    await waitForExits(graceMs);
    // Descendants that left the group received no signal. They get time to notice that their parents have exited.
    kill(alive().filter((one) => one.group === pid));
    await waitForExits(Math.min(graceMs, 3000));
    kill(alive());
    await waitForExits(Infinity);
    await exited;
    unregister();
    return { killed: [...killed.values()] };
  }

  /** Polls the process table, because the system reports the exit of a process only to its parent. */
  async function waitForExits(withinMs: number): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (alive().length > 0 && Date.now() < deadline) {
      await delay(50);
    }
  }

  async function leftBehind(graceMs = 5000): Promise<ProcessInfo[]> {
    await exited;
    await waitForExits(graceMs);
    return alive();
  }

  return { pid, exited, lastLines: () => lines.join('\n'), alive, leftBehind, stop };
}

/** Windows: ends a process and its descendants, which receive no signal. Returns after they have ended, because this process may be exiting. */
function endTree(pid: number): void {
  spawnSync('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true, stdio: 'ignore' });
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already exited.
  }
}
