import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { livingProcesses, type ProcessInfo } from './processTable.ts';
import { endWithUs } from './shutdown.ts';

/**
 * In the environment of everything we start, so that a grandchild is known as ours even in a process group of its own. A list,
 * because what we start may itself start things with this file.
 */
const marker = 'CLOUD_COMPUTE_STARTED_BY';

export interface StartOptions {
  readonly cwd?: string;
  /** The whole environment; this process's own when absent. */
  readonly env?: NodeJS.ProcessEnv;
  /** Called with every line of output and error output. */
  readonly onLine?: (line: string) => void;
  /** A text that only processes of ours have in their command line, for those that drop their environment. */
  readonly knownBy?: string;
}

export interface Stopped {
  /** What did not end by itself within the grace and was killed. */
  readonly killed: readonly ProcessInfo[];
}

/** A child process with everything it started. */
export interface ProcessGroup {
  readonly pid: number;
  /** Settles when the child itself has ended: its exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /** The last lines it printed. */
  lastLines(): string;
  /** Everything of ours that is still alive. */
  alive(): ProcessInfo[];
  /** Asks all of it to end, waits about `graceMs`, then kills what is left. Resolves when nothing is left. */
  stop(graceMs?: number): Promise<Stopped>;
}

/** Starts a program in a process group of its own. It ends with this process, whatever way this process ends. */
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
    throw new Error(`Could not start ${file}: is it there and executable?`);
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
      (options.knownBy !== undefined && one.command.includes(options.knownBy)));
  const alive = (): ProcessInfo[] => livingProcesses().filter(isOurs);
  const signalAll = (signal: NodeJS.Signals): void => {
    if (process.platform === 'win32') {
      child.kill(signal);
      return;
    }
    signalQuietly(-pid, signal);
    // What left the group is its parent's to end while there is time, and killed when there is none.
    if (signal === 'SIGKILL') {
      alive().forEach((one) => signalQuietly(one.pid, signal));
    }
  };

  const forget = endWithUs({ stop: () => stop(), kill: () => signalAll('SIGKILL') });
  const exited = child.then((result) => result.exitCode ?? result.signal ?? 1);

  async function stop(graceMs = 8000): Promise<Stopped> {
    const killed = new Map<number, ProcessInfo>();
    const kill = (some: readonly ProcessInfo[]): void => {
      some.forEach((one) => killed.set(one.pid, one));
      some.forEach((one) => signalQuietly(one.pid, 'SIGKILL'));
    };
    signalAll('SIGTERM');
    await noneAlive(graceMs);
    // What left the group was not signalled: it gets its time to notice that those it worked for are gone.
    kill(alive().filter((one) => one.group === pid));
    await noneAlive(Math.min(graceMs, 3000));
    kill(alive());
    await noneAlive(Infinity);
    await exited;
    forget();
    return { killed: [...killed.values()] };
  }

  /** The system tells nobody but its parent that a process has ended, so what our child started is looked for. */
  async function noneAlive(withinMs: number): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (alive().length > 0 && Date.now() < deadline) {
      await delay(50);
    }
  }

  return { pid, exited, lastLines: () => lines.join('\n'), alive, stop };
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already, which is what was wanted.
  }
}
