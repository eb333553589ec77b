import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endWithUs } from '../../scripts/editor/shutdown.ts';

/** How long a child may take to end before it is killed, in ms. */
const GRACE_MS = 10_000;

/** A child whose error output, unless it is inherited, is dropped. */
export interface ChildOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  readonly errors?: 'inherit' | 'ignore';
  /** Asks the child to end. Default: its input ends. */
  readonly end?: (child: ChildProcess) => void;
}

/** Starts a program that ends with this process, however this process ends. */
export function startChild(
  file: string,
  args: readonly string[],
  { errors = 'ignore', end = ({ stdin }) => void stdin?.end(), ...options }: ChildOptions = {},
) {
  // In a process group of its own, Ctrl-C does not reach the child: it is ended in order, and not before those that use it.
  const child = spawn(file, args, { ...options, detached: true, stdio: ['pipe', 'pipe', errors] });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve()).once('error', () => resolve());
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) end(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    await ended;
    clearTimeout(timer);
    forget();
  };
  const forget = endWithUs({ stop, kill: () => child.kill('SIGKILL') });
  return { process: child, ended, stop };
}

/** Creates a folder that is removed when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cloud-compute-bench-'));
  endWithUs({ stop: () => Promise.resolve(), kill: () => rmSync(folder, { recursive: true, force: true }) });
  return folder;
}
