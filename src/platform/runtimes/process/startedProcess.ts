import type { Readable } from 'node:stream';
import * as z from 'zod';
import type { ProcessExit } from '../../../contract/systemLines.ts';
import type { RunHandle } from '../runtime.ts';

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

/** Identifies a run. The PID and start time are unknown until the process exists. */
export const ProcessHandle = z.object({
  runtime: z.literal('process'),
  runId: z.string().min(1),
  pid: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
  /** In the format of the operating system; null if unknown. Together with the PID, it identifies the process. */
  processStart: z.string().nullish(),
  /** ID in the mark of the process from which it was forked. */
  preloader: z.string().optional(),
});
export type ProcessHandle = z.infer<typeof ProcessHandle>;

/** Returns those handles that identify processes. */
export function processHandles(handles: readonly RunHandle[]): ProcessHandle[] {
  return handles.flatMap((handle) => ProcessHandle.safeParse(handle).data ?? []);
}
