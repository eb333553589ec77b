import type { StartProblem } from '../../contract/startProblem.ts';
import type { SystemLine } from '../../contract/systemLines.ts';
import type { QueueWait, StartProgress } from './startProgress.ts';
import type { WorkerLifecycle } from './workerState.ts';

/* The events that a worker reacts to, and the effects of its transitions. */

/** What holds a worker: a debugger, which is the default, or the measurement of its start. Meanwhile, neither scaling nor a time limit ends it. */
export type Holder = 'debugger' | 'measurement';

export type WorkerEvent =
  /** The machine has no free slot, or not enough free GPUs. */
  | { readonly kind: 'queued'; readonly wait: QueueWait }
  | { readonly kind: 'admitted' }
  | { readonly kind: 'progressed'; readonly progress: StartProgress }
  /** @param label the runtime's name for the process @param adopted whether an earlier platform started it */
  | { readonly kind: 'started'; readonly startedAt: number; readonly label: string; readonly adopted?: boolean }
  | { readonly kind: 'startFailed'; readonly reason: string; readonly problem?: StartProblem | undefined }
  | { readonly kind: 'startAborted' }
  /** The process of an earlier platform is gone, or cannot be used. */
  | { readonly kind: 'notAdopted' }
  /** The process is ready to work. @param remark for the log */
  | { readonly kind: 'ready'; readonly remark?: SystemLine | undefined }
  | { readonly kind: 'notReady'; readonly reason: string; readonly sick: boolean }
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** The engine can be reached again. */
  | { readonly kind: 'reachable' }
  /** The process has been up for `SLOW_START_MS`. */
  | { readonly kind: 'overdue'; readonly isServer: boolean }
  /** @param how end of a sentence */
  | { readonly kind: 'ended'; readonly how: string; readonly lastLines: readonly string[] }
  /** A result arrived, which proves the worker healthy. */
  | { readonly kind: 'delivered' }
  /** The worker has no work left. */
  | { readonly kind: 'idle' }
  /** The endpoint has a new version with the same container. */
  | { readonly kind: 'adopted'; readonly version: number }
  | { readonly kind: 'retired'; readonly reason: string; readonly busy: boolean }
  | { readonly kind: 'freeze' }
  | { readonly kind: 'thaw' }
  | { readonly kind: 'restart'; readonly reason: string }
  /** A debugger holds the worker. */
  | { readonly kind: 'held'; readonly by?: Holder }
  /** A debugger no longer holds the worker. */
  | { readonly kind: 'released'; readonly by?: Holder }
  | { readonly kind: 'pauseOver' }
  /** The engine that could not be reached at the last start answers. */
  | { readonly kind: 'engineBack' }
  | { readonly kind: 'stop'; readonly reason: string }
  | { readonly kind: 'workFinished' };

export type WorkerEffect =
  | { readonly kind: 'log'; readonly line: SystemLine }
  | { readonly kind: 'requestSlot' }
  /** Releases the slot, or leaves the queue for one. */
  | { readonly kind: 'releaseSlot' }
  | { readonly kind: 'start' }
  | { readonly kind: 'abortStart' }
  | { readonly kind: 'endProcess' }
  | { readonly kind: 'freeze' }
  | { readonly kind: 'thaw' }
  /** The process has ended. @param intended true if its end is not a failure */
  | { readonly kind: 'closeRun'; readonly how: string; readonly intended: boolean }
  | { readonly kind: 'watchStart'; readonly ms: number }
  /** @param forEngine whether the pause ends early once the engine answers */
  | { readonly kind: 'pause'; readonly ms: number; readonly forEngine: boolean }
  | { readonly kind: 'cancelPause' }
  | { readonly kind: 'finishWork' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'stopped' };

/** A transition. Effects run in order. Effects that can cause further events come last. */
export interface Step {
  readonly life: WorkerLifecycle;
  readonly effects: readonly WorkerEffect[];
}

export function step(
  life: WorkerLifecycle,
  changes: Partial<WorkerLifecycle>,
  ...effects: readonly WorkerEffect[]
): Step {
  return { life: { ...life, ...changes }, effects };
}

export const CHANGED: WorkerEffect = { kind: 'changed' };
export const log = (line: SystemLine): WorkerEffect => ({ kind: 'log', line });
