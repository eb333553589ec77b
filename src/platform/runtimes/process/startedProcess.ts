import type { Readable } from 'node:stream';
import type { ProcessExit } from '../../../contract/systemLines.ts';

export interface StartedExit extends ProcessExit {
  /** Whether it is certain that no descendant is left. Default: no. */
  readonly isAlone?: boolean;
}

/** A process of a worker that was spawned, or forked from one that has loaded its modules. It leads its own process group. */
export interface StartedProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once the process has exited. Its output can follow. */
  readonly exit: Promise<StartedExit>;
  /** Resolves once its output has ended. */
  readonly closed: Promise<unknown>;
  /** ID of the process from which it was forked, in the mark of that process. Undefined if it was spawned. */
  readonly preloader?: string | undefined;
}

/** Sends a signal to the process group of a process, if it still exists. Not for Windows. */
export function signalProcessGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has already ended.
  }
}
