import type { WorkerEventRecord, WorkerTraceEvent } from './workerTraceEvent.ts';

/* The phases of a worker, from its recorded events. Times are milliseconds since the epoch. */

export type PhaseKind =
  /** Stopping or stopped. */
  | 'absent'
  | 'standby'
  /** Created, or between two processes. */
  | 'between'
  | 'paused'
  | 'waitingForSlot'
  | 'waitingForGpus'
  | 'waitingForPlace'
  | 'pulling'
  | 'creating'
  | 'loading'
  /** Ready, and without work since then. */
  | 'ready'
  | 'resuming'
  /** Has had work since it was ready. */
  | 'working';

export interface WorkerPhase {
  readonly kind: PhaseKind;
  readonly workerId: string;
  readonly release: number;
  readonly from: number;
  /** Undefined if the phase has not ended. */
  readonly to: number | undefined;
  readonly reason?: string | undefined;
}

/** Phases from worse to better. */
const RANKS: readonly PhaseKind[] = [
  ...(['absent', 'standby', 'between', 'paused', 'waitingForSlot', 'waitingForGpus', 'waitingForPlace'] as const),
  ...(['pulling', 'creating', 'loading', 'resuming', 'ready', 'working'] as const),
];

/** Returns a number that is higher for a phase that is closer to work. */
export const rankOf = ({ kind }: WorkerPhase): number => RANKS.indexOf(kind);

/** Returns true for a phase of a cold start. */
export const isStart = ({ kind }: Pick<WorkerPhase, 'kind'>): boolean =>
  kind === 'pulling' || kind === 'creating' || kind === 'loading';

/** Returns true if the worker does not count: it is on standby, stopping, or stopped. */
export const isAway = (kind: PhaseKind | undefined): boolean => kind === 'absent' || kind === 'standby';

/** Returns true if the phase contains a time. */
export const isDuring = ({ from, to }: WorkerPhase, at: number): boolean => from <= at && (to === undefined || at < to);

interface OpenPhase {
  kind: PhaseKind;
  readonly release: number;
  readonly from: number;
  readonly reason: string | undefined;
  /** The start has begun, and its first step is not known yet. */
  undetermined: boolean;
}

/** Returns the phases of a worker. They follow each other without gaps. @param events of one worker, in order */
export function phasesOf(events: readonly WorkerEventRecord[]): WorkerPhase[] {
  const phases: WorkerPhase[] = [];
  let open: OpenPhase | undefined;
  let time = 0;
  let isStopping = false;
  const close = ({ kind, release, from, reason }: OpenPhase, workerId: string, to: number | undefined): void => {
    phases.push({ kind, release, from, workerId, to, ...(reason !== undefined && { reason }) });
  };
  for (const { workerId, release, at, event } of events) {
    // The clock may have been set back.
    time = Math.max(time, at);
    if (event.kind === 'created' || event.kind === 'adopted') isStopping = false;
    const kind = isStopping ? undefined : nextKind(open?.kind, event);
    if (event.kind === 'stopping' || event.kind === 'stopped') isStopping = true;
    if (kind === undefined) continue;
    if (open?.undetermined) {
      // The first step of a start began with the start.
      if (kind === 'pulling' || kind === 'waitingForPlace') open.kind = kind;
      open.undetermined = false;
    }
    const reason = 'reason' in event ? event.reason : undefined;
    if (open?.kind === kind && open.reason === reason && event.kind !== 'starting') continue;
    // The reason of a wait may be known only now.
    if (open?.kind === kind && open.reason === undefined && kind === 'waitingForPlace') {
      open = { ...open, reason };
      continue;
    }
    if (open) close(open, workerId, time);
    open = { kind, release, from: time, reason, undetermined: event.kind === 'starting' };
  }
  const last = events.at(-1);
  if (open && last) close(open, last.workerId, undefined);
  return phases;
}

/** Returns the phase that an event begins, or undefined if the phase continues. */
function nextKind(current: PhaseKind | undefined, { kind }: WorkerTraceEvent): PhaseKind | undefined {
  const isStarting = current !== undefined && (isStart({ kind: current }) || current === 'waitingForPlace');
  switch (kind) {
    case 'created':
      return 'between';
    case 'waitingForSlot':
    case 'waitingForGpus':
      return kind;
    case 'starting':
      return 'creating';
    case 'waitingForPlace':
    case 'pulling':
      return isStarting ? kind : undefined;
    case 'placed':
      return isStarting ? 'creating' : undefined;
    case 'started':
      return isStarting ? 'loading' : undefined;
    case 'adopted':
      return current === 'ready' || current === 'working' || isAway(current) ? undefined : 'loading';
    case 'ready':
      return current === 'working' || current === 'resuming' ? undefined : 'ready';
    case 'begun':
      return 'working';
    case 'failed':
      return 'paused';
    case 'resumed':
      return 'resuming';
    case 'restarting':
    case 'ended':
      return isAway(current) ? undefined : 'between';
    case 'frozen':
      return 'standby';
    case 'stopping':
    case 'stopped':
      return 'absent';
    default:
      // A later version has more events.
      return undefined;
  }
}
