import type { Readable } from 'node:stream';
import * as z from 'zod';
import type { ProcessExit } from '../../../contract/systemLines.ts';
import type { RunHandle } from '../runtime.ts';
import { markedProcesses, processStart, type ProcessMark } from '../../../machine/processTable.ts';
import { markOf, preloaderOf } from './runMark.ts';

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

/* Ends processes of runs that the platform has no handle for, because they left their process group or an earlier platform started them. */

/**
 * After a run has ended, ends its processes outside its process group, such as daemons. Each pass scans all processes of the machine for
 * the runs that ended since the previous pass.
 */
export class Stragglers {
  #last: Promise<unknown> = Promise.resolve();
  #next: { readonly marks: ProcessMark[]; readonly done: Promise<unknown> } | undefined;

  end(runId: string): Promise<unknown> {
    if (process.platform !== 'linux') return Promise.resolve();
    const { marks, done } = (this.#next ??= this.#afterLast());
    marks.push(markOf(runId));
    return done;
  }

  #afterLast() {
    const marks: ProcessMark[] = [];
    const done = this.#last.then(() => {
      this.#next = undefined;
      return endMarked(marks);
    });
    this.#last = done;
    return { marks, done };
  }
}

/**
 * Ends processes of earlier runs. On Linux, a mark derived from the run's ID identifies every process, including descendants. On macOS,
 * only a process group whose leader still has the recorded PID and start time is ended. On Windows, orphans cannot be identified, and none
 * are ended.
 */
export async function endOrphans(orphans: readonly ProcessHandle[]): Promise<number> {
  if (orphans.length === 0) return 0;
  if (process.platform === 'linux') return endMarked(orphans.flatMap(marksOf));
  const leaders = await remainingLeaders(orphans);
  for (const pid of leaders) kill(-pid);
  return leaders.length;
}

/** Returns the marks of a run, and of the process that preloads its modules. It is unknown until a run has been forked from it. */
function marksOf({ runId, preloader = preloaderOf(runId) }: ProcessHandle): ProcessMark[] {
  return [runId, preloader].map(markOf);
}

/** Maximum number of passes, for processes that start others as fast as they are killed. */
const MAX_PASSES = 50;

/** Linux: ends the processes that carry one of these marks, including processes that start in the meantime. Returns their number. */
async function endMarked(marks: readonly ProcessMark[]): Promise<number> {
  const ended = new Set<number>();
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const found = await markedProcesses(marks);
    for (const pid of found) {
      kill(pid);
      ended.add(pid);
    }
    if (found.length === 0) break;
  }
  return ended.size;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended in the meantime.
  }
}

async function remainingLeaders(orphans: readonly ProcessHandle[]): Promise<number[]> {
  const found: number[] = [];
  for (const { pid, processStart: recorded } of orphans) {
    if (pid !== undefined && recorded != null && (await processStart(pid).catch(() => undefined)) === recorded)
      found.push(pid);
  }
  return found;
}
