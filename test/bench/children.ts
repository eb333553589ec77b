import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { registerCleanup } from '../../scripts/editor/shutdown.ts';

/** Time, in ms, that a child has to exit before it is killed. */
const GRACE_MS = 10_000;

/** Options of a child process. By default its standard error is discarded. */
export interface ChildOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  readonly errors?: 'inherit' | 'ignore';
  /** Requests the child to exit. Default: closes its standard input. */
  readonly end?: (child: ChildProcess) => void;
}

/** Starts a program that ends when this process exits for any reason. */
export function startChild(
  file: string,
  args: readonly string[],
  { errors = 'ignore', end = ({ stdin }) => void stdin?.end(), ...options }: ChildOptions = {},
) {
  // Ctrl-C does not signal a detached child, so that it ends after the processes that use it.
  const child = spawn(file, args, { ...options, detached: true, stdio: ['pipe', 'pipe', errors] });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve()).once('error', () => resolve());
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) end(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    await ended;
    clearTimeout(timer);
    unregister();
  };
  const unregister = registerCleanup({ stop, kill: () => child.kill('SIGKILL') });
  return { process: child, ended, stop };
}

/** Creates a temporary folder that is deleted when this process exits. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cloud-compute-bench-'));
  registerCleanup({ stop: () => Promise.resolve(), kill: () => rmSync(folder, { recursive: true, force: true }) });
  return folder;
}
