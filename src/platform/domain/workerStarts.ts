import { isDeepStrictEqual } from 'node:util';
import { START_PROBLEMS, type StartProblem } from '../../contract/startProblem.ts';
import type { SystemLine } from '../../contract/systemLines.ts';
import { progressLine, type StartProgress } from './startProgress.ts';
import { restartPause } from './worker.ts';
import { CHANGED, log, step, type Step, type WorkerEvent } from './workerEvents.ts';
import {
  FRESH_START,
  isFailed,
  isReady,
  isThrottled,
  type Health,
  type LiveProcess,
  type WorkerLifecycle,
  type WorkerState,
} from './workerState.ts';

/* Transitions from the assigned slot to a process that is ready, or to the pause after a failure. */

/** Time in ms after which a process that is not ready gets a log line. It may still load a model, or never become ready. */
export const SLOW_START_MS = 60_000;

export function admitted(life: WorkerLifecycle, now: number): Step | undefined {
  const { state } = life;
  if (state.kind !== 'waiting') return undefined;
  const since = isFailed(life) ? life.since : now;
  if (!state.process) return step(life, { state: FRESH_START, since }, { kind: 'start' });
  const { ending, ...process } = state.process;
  const resumed: WorkerState = { kind: ending ? 'restarting' : 'up', process };
  return step(life, { state: resumed, since }, { kind: 'thaw' }, log({ kind: 'resumed' }), CHANGED);
}

export function progressed(life: WorkerLifecycle, progress: StartProgress): Step | undefined {
  const { state } = life;
  if (state.kind !== 'starting') return undefined;
  const line = progressLine(progress);
  const isNew = !state.progress || !isDeepStrictEqual(progressLine(state.progress), line);
  const after: WorkerState = { ...state, progress };
  return step(
    life,
    { state: after },
    ...(isNew && line ? [log(line)] : []),
    ...(isThrottled(after) === isThrottled(state) ? [] : [CHANGED]),
  );
}

export function started(
  life: WorkerLifecycle,
  { startedAt, label, adopted }: Extract<WorkerEvent, { kind: 'started' }>,
): Step | undefined {
  const { state } = life;
  if (state.kind !== 'starting' && state.kind !== 'canceling') return undefined;
  const process: LiveProcess = { startedAt, health: state.ready ? 'ready' : 'notReady' };
  const logged = [
    log({ kind: adopted ? 'adopted' : 'started', label }),
    { kind: 'watchStart', ms: SLOW_START_MS },
  ] as const;
  if (state.kind === 'canceling') {
    const finishing: WorkerState = { kind: 'finishing', process, holdsSlot: true };
    return step(life, { state: finishing }, ...logged, { kind: 'finishWork' }, CHANGED);
  }
  if (!state.restart) return step(life, { state: { kind: 'up', process } }, ...logged, CHANGED);
  return step(life, { state: { kind: 'restarting', process } }, ...logged, { kind: 'endProcess' }, CHANGED);
}

export function startFailed(life: WorkerLifecycle, failure: FailedStart, now: number): Step | undefined {
  const explanation = notStarted(failure);
  const forEngine = failure.problem === 'engineUnreachable';
  if (life.state.kind === 'starting') return failed({ ...life, unreachable: undefined }, [explanation], now, forEngine);
  if (life.state.kind !== 'canceling') return undefined;
  const finishing: WorkerState = { kind: 'finishing', process: undefined, holdsSlot: true };
  const changes = { ...countedFailure(life, now), state: finishing, unreachable: undefined };
  return step(life, changes, log(explanation), { kind: 'finishWork' }, CHANGED);
}

/** Pauses before the next start. Other workers can run in the meantime. */
export function failed(
  life: WorkerLifecycle,
  explanation: readonly SystemLine[],
  now: number,
  forEngine = false,
): Step {
  const counted = countedFailure(life, now);
  const ms = restartPause(counted.failures);
  return step(
    life,
    { ...counted, state: { kind: 'paused', until: now + ms } },
    ...explanation.map(log),
    log({ kind: 'unhealthy', failures: counted.failures, seconds: inSeconds(ms) }),
    { kind: 'pause', ms, forEngine },
    { kind: 'releaseSlot' },
    CHANGED,
  );
}

function countedFailure({ failures, since }: WorkerLifecycle, now: number) {
  return { failures: failures + 1, since: failures === 0 ? now : since };
}

export function ready(life: WorkerLifecycle, remark: SystemLine | undefined, now: number): Step | undefined {
  if (isReady(life.state)) return undefined;
  const state = withHealth(life.state, 'ready');
  if (!state) return undefined;
  const remarks = remark === undefined ? [] : [log(remark)];
  return step(life, { state, since: now }, log({ kind: 'ready' }), ...remarks, CHANGED);
}

export function notReady(
  life: WorkerLifecycle,
  { reason, sick }: { reason: string; sick: boolean },
  now: number,
): Step | undefined {
  // A frozen process cannot respond. Its earlier health remains valid.
  const state = life.state.kind === 'frozen' ? undefined : withHealth(life.state, sick ? 'sick' : 'notReady');
  return state && step(life, { state, since: now }, log({ kind: 'notReady', reason }), CHANGED);
}

/** Returns the state with the new health, or undefined if the health does not apply to the state. */
function withHealth(state: WorkerState, health: Health): WorkerState | undefined {
  switch (state.kind) {
    case 'up':
    case 'restarting':
    case 'stopping':
      return { ...state, process: { ...state.process, health } };
    case 'waiting':
    case 'frozen':
      return state.process && { ...state, process: { ...state.process, health } };
    case 'finishing':
      return state.process && { ...state, process: { ...state.process, health } };
    case 'starting':
    case 'canceling':
      return health === 'ready' ? { ...state, ready: true } : undefined;
    case 'paused':
    case 'stopped':
      return undefined;
  }
}

interface FailedStart {
  readonly problem?: StartProblem | undefined;
  readonly reason: string;
}

function notStarted({ problem, reason }: FailedStart): SystemLine {
  if (problem === undefined) return { kind: 'notStarted', reason };
  return { kind: 'notStartedBecause', problem: START_PROBLEMS[problem], reason };
}

export function slowStart(isServer: boolean): SystemLine {
  const missing = isServer
    ? 'its health check has not returned 200'
    : 'it has not requested a job; check that its code starts the worker loop of its SDK';
  return { kind: 'slowStart', seconds: inSeconds(SLOW_START_MS), missing };
}

export const inSeconds = (ms: number): number => ms / 1000;
