import { isDeepStrictEqual } from 'node:util';
import { START_PROBLEMS, type StartProblem } from '../../contract/startProblem.ts';
import type { SystemLine } from '../../contract/systemLines.ts';
import { progressLine, queueLine, type StartProgress } from './startProgress.ts';
import { restartPause } from './worker.ts';
import type { Step, WorkerEffect, WorkerEvent } from './workerEvents.ts';
import {
  holdsSlot,
  isDraining,
  isFailed,
  isReady,
  isThrottled,
  processOf,
  type FrozenProcess,
  type Health,
  type LiveProcess,
  type WorkerLifecycle,
  type WorkerState,
} from './workerState.ts';

/* The state machine of a worker. Times are milliseconds since the epoch. */

/** Uptime in ms after which a process counts as healthy, and earlier failures are forgotten. */
export const HEALTHY_AFTER_MS = 300_000;

/** Time in ms after which a process that is not ready gets a log line. It may still load a model, or never become ready. */
export const SLOW_START_MS = 60_000;

const FRESH_START = { kind: 'starting', ready: false, restart: false, progress: undefined } as const;

const CHANGED: WorkerEffect = { kind: 'changed' };
const log = (line: SystemLine): WorkerEffect => ({ kind: 'log', line });

export function createLifecycle(
  { id, endpointName, version }: { id: string; endpointName: string; version: number },
  now: number,
): Step {
  return {
    life: {
      ...{ state: waitingWith(undefined), version, retired: undefined, failures: 0, since: now },
      unreachable: undefined,
      debuggers: 0,
    },
    effects: [log({ kind: 'created', workerId: id, endpoint: endpointName }), { kind: 'requestSlot' }],
  };
}

/**
 * Returns a worker whose process an earlier platform started. Like a process that takes jobs before its start is reported, it can have jobs.
 *
 * @param ready whether the process was ready
 */
export function adoptedLifecycle(
  { version, ready }: { version: number; ready: boolean },
  now: number,
): WorkerLifecycle {
  return {
    ...{ state: { ...FRESH_START, ready, progress: { kind: 'placed' } }, version, retired: undefined, failures: 0 },
    ...{ since: now, unreachable: undefined, debuggers: 0 },
  };
}

/** Returns the worker after an event and the effects to run, or undefined if the event does not apply. */
export function transition(life: WorkerLifecycle, event: WorkerEvent, now: number): Step | undefined {
  const { state } = life;
  switch (event.kind) {
    case 'queued':
      if (state.kind !== 'waiting') return undefined;
      return step(life, { state: { ...state, wait: event.wait } }, log(queueLine(event.wait)));
    case 'admitted':
      return admitted(life, now);
    case 'progressed':
      return progressed(life, event.progress);
    case 'started':
      return started(life, event);
    case 'startFailed':
      return startFailed(life, event, now);
    case 'startAborted':
      if (state.kind !== 'canceling') return undefined;
      return step(
        life,
        { state: { kind: 'finishing', process: undefined, holdsSlot: true }, unreachable: undefined },
        { kind: 'finishWork' },
      );
    case 'notAdopted':
      if (state.kind !== 'starting') return transition(life, { kind: 'startAborted' }, now);
      return step(
        life,
        { state: FRESH_START, unreachable: undefined },
        log({ kind: 'restarting', reason: 'its process did not outlive the previous platform' }),
        { kind: 'start' },
        CHANGED,
      );
    case 'unreachable':
      return unreachable(life, event.reason);
    case 'reachable':
      if (life.unreachable === undefined) return undefined;
      return step(life, { unreachable: undefined }, log({ kind: 'engineReachable' }), CHANGED);
    case 'ready':
      return ready(life, event.remark, now);
    case 'notReady':
      return notReady(life, event, now);
    case 'overdue': {
      const process = processOf(state);
      if (!process || process.health === 'ready') return undefined;
      return step(life, {}, log(slowStart(event.isServer)));
    }
    case 'ended':
      return ended(life, event, now);
    case 'delivered':
      return life.failures > 0 ? step(life, { failures: 0 }) : undefined;
    case 'idle':
      return step(life, { since: now });
    case 'adopted':
      return life.retired === undefined ? step(life, { version: event.version }) : undefined;
    case 'retired':
      if (life.retired !== undefined) return undefined;
      return step(
        life,
        { retired: event.reason },
        ...(event.busy ? [log({ kind: 'retired', reason: event.reason })] : []),
      );
    case 'freeze': {
      if (state.kind !== 'up' || life.retired !== undefined || life.debuggers > 0) return undefined;
      const process = { ...state.process, ending: false };
      const effects = [{ kind: 'freeze' }, { kind: 'releaseSlot' }, log({ kind: 'frozen' })] as const;
      return step(life, { state: { kind: 'frozen', process }, since: now }, ...effects);
    }
    case 'thaw':
      if (state.kind !== 'frozen') return undefined;
      return step(life, { state: waitingWith(state.process) }, { kind: 'requestSlot' });
    case 'restart':
      return restarted(life, event.reason);
    case 'held': {
      if (state.kind === 'stopped') return undefined;
      const lines = life.debuggers === 0 && event.by !== 'measurement' ? [log({ kind: 'debugging' })] : [];
      return step(life, { debuggers: life.debuggers + 1 }, ...lines, CHANGED);
    }
    case 'released':
      return released(life, event.by === 'measurement' ? MEASURED : DEBUGGING_ENDED);
    case 'pauseOver':
      if (state.kind !== 'paused') return undefined;
      return step(life, { state: waitingWith(undefined) }, { kind: 'requestSlot' });
    case 'engineBack':
      if (state.kind !== 'paused') return undefined;
      return step(
        life,
        { state: waitingWith(undefined), failures: 0 },
        { kind: 'cancelPause' },
        { kind: 'requestSlot' },
      );
    case 'stop':
      return stopped(life, event.reason);
    case 'workFinished':
      return workFinished(life);
  }
}

/** A worker that is about to request a slot. */
const waitingWith = (process: FrozenProcess | undefined): WorkerState => ({
  kind: 'waiting',
  process,
  wait: undefined,
});

interface FailedStart {
  readonly problem?: StartProblem | undefined;
  readonly reason: string;
}

function notStarted({ problem, reason }: FailedStart): SystemLine {
  if (problem === undefined) return { kind: 'notStarted', reason };
  return { kind: 'notStartedBecause', problem: START_PROBLEMS[problem], reason };
}

function unreachable(life: WorkerLifecycle, reason: string): Step | undefined {
  const { state } = life;
  const hasRun = processOf(state) !== undefined || state.kind === 'starting' || state.kind === 'canceling';
  if (!hasRun || life.unreachable === reason) return undefined;
  const isFirst = life.unreachable === undefined;
  return step(life, { unreachable: reason }, ...(isFirst ? [log({ kind: 'engineUnreachable', reason }), CHANGED] : []));
}

function slowStart(isServer: boolean): SystemLine {
  const missing = isServer
    ? 'its health check has not returned 200'
    : 'it has not requested a job; check that its code starts the worker loop of its SDK';
  return { kind: 'slowStart', seconds: inSeconds(SLOW_START_MS), missing };
}

const inSeconds = (ms: number): number => ms / 1000;

function step(life: WorkerLifecycle, changes: Partial<WorkerLifecycle>, ...effects: readonly WorkerEffect[]): Step {
  return { life: { ...life, ...changes }, effects };
}

function admitted(life: WorkerLifecycle, now: number): Step | undefined {
  const { state } = life;
  if (state.kind !== 'waiting') return undefined;
  const since = isFailed(life) ? life.since : now;
  if (!state.process) return step(life, { state: FRESH_START, since }, { kind: 'start' });
  const { ending, ...process } = state.process;
  const resumed: WorkerState = { kind: ending ? 'restarting' : 'up', process };
  return step(life, { state: resumed, since }, { kind: 'thaw' }, log({ kind: 'resumed' }), CHANGED);
}

function progressed(life: WorkerLifecycle, progress: StartProgress): Step | undefined {
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

function started(
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

function startFailed(life: WorkerLifecycle, failure: FailedStart, now: number): Step | undefined {
  const explanation = notStarted(failure);
  const forEngine = failure.problem === 'engineUnreachable';
  if (life.state.kind === 'starting') return failed({ ...life, unreachable: undefined }, [explanation], now, forEngine);
  if (life.state.kind !== 'canceling') return undefined;
  const finishing: WorkerState = { kind: 'finishing', process: undefined, holdsSlot: true };
  const changes = { ...countedFailure(life, now), state: finishing, unreachable: undefined };
  return step(life, changes, log(explanation), { kind: 'finishWork' }, CHANGED);
}

/** Pauses before the next start. Other workers can run in the meantime. */
function failed(life: WorkerLifecycle, explanation: readonly SystemLine[], now: number, forEngine = false): Step {
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

function ready(life: WorkerLifecycle, remark: SystemLine | undefined, now: number): Step | undefined {
  if (isReady(life.state)) return undefined;
  const state = withHealth(life.state, 'ready');
  if (!state) return undefined;
  const remarks = remark === undefined ? [] : [log(remark)];
  return step(life, { state, since: now }, log({ kind: 'ready' }), ...remarks, CHANGED);
}

function notReady(
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

function ended(
  before: WorkerLifecycle,
  { how, lastLines }: { how: string; lastLines: readonly string[] },
  now: number,
): Step | undefined {
  const { state } = before;
  const process = processOf(state);
  if (!process) return undefined;
  const upMs = now - process.startedAt;
  const failures = upMs > HEALTHY_AFTER_MS ? 0 : before.failures;
  const life = { ...before, failures, unreachable: undefined };
  const close: WorkerEffect = { kind: 'closeRun', how, intended: isDraining(before) };
  const logged = [close, log({ kind: 'ended', how })] as const;
  switch (state.kind) {
    case 'up': {
      const { life: after, effects } = failed(life, crashed(how, upMs, lastLines), now);
      return { life: after, effects: [close, ...effects] };
    }
    case 'restarting':
      return step(life, { state: FRESH_START }, ...logged, { kind: 'start' }, CHANGED);
    case 'waiting':
    case 'frozen':
    case 'finishing':
      return step(life, { state: { ...state, process: undefined } }, ...logged, CHANGED);
    case 'stopping': {
      const release: readonly WorkerEffect[] = state.holdsSlot ? [{ kind: 'releaseSlot' }] : [];
      return step(life, { state: { kind: 'stopped' } }, ...logged, ...release, CHANGED, { kind: 'stopped' });
    }
    case 'starting':
    case 'paused':
    case 'canceling':
    case 'stopped':
      return undefined;
  }
}

function crashed(how: string, upMs: number, lastLines: readonly string[]): SystemLine[] {
  const kind = lastLines.length === 0 ? 'failedSilently' : 'failed';
  const output = lastLines.map((line): SystemLine => ({ kind: 'output', line }));
  return [{ kind, how, seconds: inSeconds(upMs).toFixed(1) }, ...output];
}

function restarted(life: WorkerLifecycle, reason: string): Step | undefined {
  const { state } = life;
  const effects = [log({ kind: 'restarting', reason }), { kind: 'endProcess' }] as const;
  switch (state.kind) {
    case 'up':
      return step(life, { state: { ...state, kind: 'restarting' } }, ...effects);
    case 'starting':
      return state.restart ? undefined : step(life, { state: { ...state, restart: true } }, effects[0]);
    case 'waiting':
    case 'frozen':
      if (!state.process || state.process.ending) return undefined;
      return step(life, { state: { ...state, process: { ...state.process, ending: true } } }, ...effects);
    case 'restarting':
    case 'paused':
    case 'canceling':
    case 'finishing':
    case 'stopping':
    case 'stopped':
      return undefined;
  }
}

/**
 * Replaces the worker after its last debugger, because its process still accepts debuggers, and can be slower than another one. The same
 * holds for a process that is measured.
 */
function released(life: WorkerLifecycle, reason: string): Step | undefined {
  if (life.debuggers === 0 || life.state.kind === 'stopped') return undefined;
  const debuggers = life.debuggers - 1;
  const retired = debuggers === 0 ? (life.retired ?? reason) : life.retired;
  return step(life, { debuggers, retired }, CHANGED);
}

const DEBUGGING_ENDED = 'the debugging ended';
const MEASURED = 'its start was measured';

function stopped(life: WorkerLifecycle, reason: string): Step | undefined {
  const { state } = life;
  const logged = log({ kind: 'stopping', reason });
  const finish = (process: LiveProcess | undefined, ...first: readonly WorkerEffect[]): Step => {
    const finishing: WorkerState = {
      kind: 'finishing',
      process: process && liveProcess(process),
      holdsSlot: holdsSlot(state),
    };
    return step(life, { state: finishing }, ...first, logged, { kind: 'finishWork' });
  };
  switch (state.kind) {
    case 'waiting':
      // Leaves the queue at once. Otherwise, the next free slot would start a process that nothing stops.
      return finish(state.process, { kind: 'releaseSlot' });
    case 'starting':
      return step(life, { state: { kind: 'canceling', ready: state.ready } }, logged, { kind: 'abortStart' });
    case 'up':
    case 'restarting':
    case 'frozen':
      return finish(state.process);
    case 'paused':
      return finish(undefined, { kind: 'cancelPause' });
    case 'canceling':
    case 'finishing':
    case 'stopping':
    case 'stopped':
      return undefined;
  }
}

const liveProcess = ({ startedAt, health }: LiveProcess): LiveProcess => ({ startedAt, health });

function workFinished(life: WorkerLifecycle): Step | undefined {
  const { state } = life;
  if (state.kind !== 'finishing') return undefined;
  const { process, holdsSlot: has } = state;
  if (process) return step(life, { state: { kind: 'stopping', process, holdsSlot: has } }, { kind: 'endProcess' });
  const release: readonly WorkerEffect[] = has ? [{ kind: 'releaseSlot' }] : [];
  return step(life, { state: { kind: 'stopped' } }, ...release, { kind: 'stopped' });
}
