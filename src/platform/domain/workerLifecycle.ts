import { isDeepStrictEqual } from 'node:util';
import { START_PROBLEMS, type StartProblem } from '../../contract/startProblem.ts';
import type { SystemLine } from '../../contract/systemLines.ts';
import { progressLine, queueLine, type QueueWait, type StartProgress } from './startProgress.ts';
import { restartPause, type WorkerStart, type WorkerView } from './worker.ts';

/* The state machine of a worker. Times are milliseconds since the epoch. */

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

export type WorkerEvent =
  /** The machine has no free slot, or not enough free GPUs. */
  | { readonly kind: 'queued'; readonly wait: QueueWait }
  | { readonly kind: 'admitted' }
  | { readonly kind: 'progressed'; readonly progress: StartProgress }
  /** @param label the runtime's name for the process */
  | { readonly kind: 'started'; readonly startedAt: number; readonly label: string }
  | { readonly kind: 'startFailed'; readonly reason: string; readonly problem?: StartProblem | undefined }
  | { readonly kind: 'startAborted' }
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
  | { readonly kind: 'held' }
  /** A debugger no longer holds the worker. */
  | { readonly kind: 'released' }
  | { readonly kind: 'pauseOver' }
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
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'cancelPause' }
  | { readonly kind: 'finishWork' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'stopped' };

/** A transition. Effects run in order. Effects that can cause further events come last. */
export interface Step {
  readonly life: WorkerLifecycle;
  readonly effects: readonly WorkerEffect[];
}

/** Uptime in ms after which a process counts as healthy, and earlier failures are forgotten. */
export const HEALTHY_AFTER_MS = 300_000;

/** Time in ms after which a process that is not ready gets a log line. It may still load a model, or never become ready. */
export const SLOW_START_MS = 60_000;

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
      return startFailed(life, notStarted(event), now);
    case 'startAborted':
      if (state.kind !== 'canceling') return undefined;
      return step(
        life,
        { state: { kind: 'finishing', process: undefined, holdsSlot: true }, unreachable: undefined },
        { kind: 'finishWork' },
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
      const lines = life.debuggers === 0 ? [log({ kind: 'debugging' })] : [];
      return step(life, { debuggers: life.debuggers + 1 }, ...lines, CHANGED);
    }
    case 'released':
      return released(life);
    case 'pauseOver':
      if (state.kind !== 'paused') return undefined;
      return step(life, { state: waitingWith(undefined) }, { kind: 'requestSlot' });
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

function notStarted({ problem, reason }: { problem?: StartProblem | undefined; reason: string }): SystemLine {
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

const FRESH_START: WorkerState = { kind: 'starting', ready: false, restart: false, progress: undefined };

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

function started(life: WorkerLifecycle, { startedAt, label }: { startedAt: number; label: string }): Step | undefined {
  const { state } = life;
  if (state.kind !== 'starting' && state.kind !== 'canceling') return undefined;
  const process: LiveProcess = { startedAt, health: state.ready ? 'ready' : 'notReady' };
  const logged = [log({ kind: 'started', label }), { kind: 'watchStart', ms: SLOW_START_MS }] as const;
  if (state.kind === 'canceling') {
    const finishing: WorkerState = { kind: 'finishing', process, holdsSlot: true };
    return step(life, { state: finishing }, ...logged, { kind: 'finishWork' }, CHANGED);
  }
  if (!state.restart) return step(life, { state: { kind: 'up', process } }, ...logged, CHANGED);
  return step(life, { state: { kind: 'restarting', process } }, ...logged, { kind: 'endProcess' }, CHANGED);
}

function startFailed(life: WorkerLifecycle, explanation: SystemLine, now: number): Step | undefined {
  if (life.state.kind === 'starting') return failed({ ...life, unreachable: undefined }, [explanation], now);
  if (life.state.kind !== 'canceling') return undefined;
  const finishing: WorkerState = { kind: 'finishing', process: undefined, holdsSlot: true };
  const changes = { ...countedFailure(life, now), state: finishing, unreachable: undefined };
  return step(life, changes, log(explanation), { kind: 'finishWork' }, CHANGED);
}

/** Pauses before the next start. Other workers can run in the meantime. */
function failed(life: WorkerLifecycle, explanation: readonly SystemLine[], now: number): Step {
  const counted = countedFailure(life, now);
  const ms = restartPause(counted.failures);
  return step(
    life,
    { ...counted, state: { kind: 'paused', until: now + ms } },
    ...explanation.map(log),
    log({ kind: 'unhealthy', failures: counted.failures, seconds: inSeconds(ms) }),
    { kind: 'pause', ms },
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

/** Replaces the worker after its last debugger, because its process still accepts debuggers, and can be slower than another one. */
function released(life: WorkerLifecycle): Step | undefined {
  if (life.debuggers === 0 || life.state.kind === 'stopped') return undefined;
  const debuggers = life.debuggers - 1;
  const retired = debuggers === 0 ? (life.retired ?? DEBUGGING_ENDED) : life.retired;
  return step(life, { debuggers, retired }, CHANGED);
}

const DEBUGGING_ENDED = 'the debugging ended';

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

function isReady(state: WorkerState): boolean {
  if (state.kind === 'starting' || state.kind === 'canceling') return state.ready;
  return processOf(state)?.health === 'ready';
}

function isFailed({ state, failures }: WorkerLifecycle): boolean {
  return !isReady(state) && (failures > 0 || processOf(state)?.health === 'sick');
}

/** Returns true if the worker waits for room on this machine or in the cluster. */
function isThrottled(state: WorkerState): boolean {
  return !holdsSlot(state) || (state.kind === 'starting' && state.progress?.kind === 'noPlace');
}

/** Returns why the process does not run yet, if that is known. */
function startOf(state: WorkerState): WorkerStart | undefined {
  if (state.kind === 'waiting') return state.wait;
  if (state.kind !== 'starting' || state.progress?.kind === 'placed') return undefined;
  return state.progress;
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
    throttled: isThrottled(state),
    ready: isReady(state),
    failed: isFailed(life) || life.unreachable !== undefined,
    start: startOf(state),
  };
}
