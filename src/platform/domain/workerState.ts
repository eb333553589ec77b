import type { QueueWait, StartProgress } from './startProgress.ts';
import type { WorkerStatus } from '../../contract/worker.ts';
import type { MeasuredState } from './measured.ts';
import { workerStatus, type WorkerStart, type WorkerView } from './worker.ts';

/* The state of a worker. Times are milliseconds since the epoch. */

/** Health of a process. A sick process is up and reports that it cannot work. */
export type Health = 'ready' | 'notReady' | 'sick';

/** A process that is up. */
export interface LiveProcess {
  readonly startedAt: number;
  readonly health: Health;
}

/** A frozen process. */
export interface FrozenProcess extends LiveProcess {
  /** The process is being ended, because another process replaces it. */
  readonly ending: boolean;
}

export type WorkerState =
  /** Waits for a slot or for GPUs of this machine. */
  | {
      readonly kind: 'waiting';
      readonly process: FrozenProcess | undefined;
      /** Undefined if the worker has just asked. */
      readonly wait: QueueWait | undefined;
    }
  /** The process is being started. */
  | {
      readonly kind: 'starting';
      /** The process can request jobs before its start is reported. */
      readonly ready: boolean;
      /** The process is replaced as soon as it is up. */
      readonly restart: boolean;
      readonly progress: StartProgress | undefined;
    }
  | { readonly kind: 'up'; readonly process: LiveProcess }
  /** The process is being ended, and another one replaces it. */
  | { readonly kind: 'restarting'; readonly process: LiveProcess }
  /** On standby. A process that ended in the meantime is started again when the worker resumes. */
  | { readonly kind: 'frozen'; readonly process: FrozenProcess | undefined }
  /** Waits after a failure. */
  | { readonly kind: 'paused'; readonly until: number }
  /** Stops as soon as the pending start ends. */
  | { readonly kind: 'canceling'; readonly ready: boolean }
  /** Stops as soon as its work is finished. */
  | { readonly kind: 'finishing'; readonly process: LiveProcess | undefined; readonly holdsSlot: boolean }
  /** The process is being ended for good. */
  | { readonly kind: 'stopping'; readonly process: LiveProcess; readonly holdsSlot: boolean }
  | { readonly kind: 'stopped' };

/** A start that has just begun. */
export const FRESH_START = { kind: 'starting', ready: false, restart: false, progress: undefined } as const;

/** A worker that is about to request a slot. */
export const waitingWith = (process: FrozenProcess | undefined): WorkerState => ({
  kind: 'waiting',
  process,
  wait: undefined,
});

export interface WorkerLifecycle {
  readonly state: WorkerState;
  /** Endpoint version that the worker belongs to. */
  readonly version: number;
  /** Reason to stop the worker when it has finished its work. Undefined if it stays. */
  readonly retired: string | undefined;
  /** Number of failures in a row. */
  readonly failures: number;
  /**
   * Why the engine that runs the process cannot be reached. The process may run in the meantime, so the worker keeps its work and its
   * health. Undefined if the engine can be reached.
   */
  readonly unreachable: string | undefined;
  /** Start of the current idle time or failure. */
  readonly since: number;
  /** Number of debuggers that hold the worker. Meanwhile, neither scaling nor a time limit ends it. */
  readonly debuggers: number;
}

/** Returns the process that is up, frozen or not. */
export function processOf(state: WorkerState): LiveProcess | undefined {
  return 'process' in state ? state.process : undefined;
}

/** Returns true if the worker has one of the machine's slots. */
export function holdsSlot(state: WorkerState): boolean {
  switch (state.kind) {
    case 'starting':
    case 'up':
    case 'restarting':
    case 'canceling':
      return true;
    case 'finishing':
    case 'stopping':
      return state.holdsSlot;
    case 'waiting':
    case 'frozen':
    case 'paused':
    case 'stopped':
      return false;
  }
}

/** Returns true if the worker is stopping or stopped. */
export function isStopping({ kind }: WorkerState): boolean {
  return kind === 'canceling' || kind === 'finishing' || kind === 'stopping' || kind === 'stopped';
}

/** Returns true if the process is about to end on purpose. */
export function isEnding(state: WorkerState): boolean {
  switch (state.kind) {
    case 'starting':
      return state.restart;
    case 'waiting':
    case 'frozen':
      return state.process?.ending === true;
    case 'up':
    case 'paused':
      return false;
    case 'restarting':
    case 'canceling':
    case 'finishing':
    case 'stopping':
    case 'stopped':
      return true;
  }
}

/** Returns true if the worker gets no more work, because it is about to end or is not running. */
export function isDraining({ state, retired }: WorkerLifecycle): boolean {
  return retired !== undefined || isEnding(state) || !holdsSlot(state);
}

/** Returns true if the process is ready to work, or will be as soon as its start is reported. */
export function isReady(state: WorkerState): boolean {
  if (state.kind === 'starting' || state.kind === 'canceling') return state.ready;
  return processOf(state)?.health === 'ready';
}

/** Returns true if the worker has failed and is not ready again. */
export function isFailed({ state, failures }: WorkerLifecycle): boolean {
  return !isReady(state) && (failures > 0 || processOf(state)?.health === 'sick');
}

/** Returns true if the worker waits for room on this machine or in the cluster. */
export function isThrottled(state: WorkerState): boolean {
  return !holdsSlot(state) || waitsForPlace(state);
}

/** Returns true if the worker would start now if there were room. */
function waitsForPlace(state: WorkerState): boolean {
  return state.kind === 'starting'
    ? state.progress?.kind === 'noPlace'
    : state.kind === 'waiting' && state.wait !== undefined;
}

/** Returns why the process does not run yet, if that is known. */
function startOf(state: WorkerState): WorkerStart | undefined {
  if (state.kind === 'waiting') return state.wait;
  if (state.kind !== 'starting' || state.progress?.kind === 'placed') return undefined;
  return state.progress;
}

/** Returns the members of a view that its status depends on. */
function statusPartsOf(life: WorkerLifecycle, load: number): Parameters<typeof workerStatus>[0] {
  const { state, unreachable } = life;
  return {
    load,
    throttled: isThrottled(state),
    ready: isReady(state),
    // An earlier failure is not why the worker waits for room.
    failed: (isFailed(life) && !waitsForPlace(state)) || unreachable !== undefined,
  };
}

const MEASURED_STATES: Readonly<Record<WorkerStatus, MeasuredState>> = {
  INITIALIZING: 'initializing',
  IDLE: 'idle',
  RUNNING: 'running',
  THROTTLED: 'throttled',
  UNHEALTHY: 'unhealthy',
};

/** Returns the state for measurements. Undefined for a worker that does not count, because it is stopping or on standby. */
export function measuredState(life: WorkerLifecycle, load: number): MeasuredState | undefined {
  if (life.state.kind === 'frozen' || isStopping(life.state)) return undefined;
  return MEASURED_STATES[workerStatus(statusPartsOf(life, load))];
}

/** Returns the worker's state for its pool. */
export function viewOf(
  life: WorkerLifecycle,
  about: Pick<WorkerView, 'id' | 'image' | 'gpuCount' | 'gpus' | 'load'>,
): WorkerView {
  const { state, version, debuggers } = life;
  return {
    ...about,
    version,
    debugged: debuggers > 0,
    startedAt: processOf(state)?.startedAt,
    ...statusPartsOf(life, about.load),
    start: startOf(state),
  };
}
