import type { SystemLine } from '../../contract/systemLines.ts';
import { CHANGED, log, step, type Holder, type Step, type WorkerEffect } from './workerEvents.ts';
import { failed, inSeconds } from './workerStarts.ts';
import {
  FRESH_START,
  holdsSlot,
  isDraining,
  processOf,
  type LiveProcess,
  type WorkerLifecycle,
  type WorkerState,
} from './workerState.ts';

/* Transitions at the end of a process, and those that end it: a restart, the release of a debugger, and a stop. */

/** Uptime in ms after which a process counts as healthy, and earlier failures are forgotten. */
export const HEALTHY_AFTER_MS = 300_000;

export function ended(
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

export function restarted(life: WorkerLifecycle, reason: string): Step | undefined {
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
export function released(life: WorkerLifecycle, by: Holder | undefined): Step | undefined {
  if (life.debuggers === 0 || life.state.kind === 'stopped') return undefined;
  const reason = by === 'measurement' ? MEASURED : DEBUGGING_ENDED;
  const debuggers = life.debuggers - 1;
  const retired = debuggers === 0 ? (life.retired ?? reason) : life.retired;
  return step(life, { debuggers, retired }, CHANGED);
}

const DEBUGGING_ENDED = 'the debugging ended';
const MEASURED = 'its start was measured';

export function stopped(life: WorkerLifecycle, reason: string): Step | undefined {
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

export function workFinished(life: WorkerLifecycle): Step | undefined {
  const { state } = life;
  if (state.kind !== 'finishing') return undefined;
  const { process, holdsSlot: has } = state;
  if (process) return step(life, { state: { kind: 'stopping', process, holdsSlot: has } }, { kind: 'endProcess' });
  const release: readonly WorkerEffect[] = has ? [{ kind: 'releaseSlot' }] : [];
  return step(life, { state: { kind: 'stopped' } }, ...release, { kind: 'stopped' });
}
