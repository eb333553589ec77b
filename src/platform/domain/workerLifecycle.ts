import { queueLine } from './startProgress.ts';
import { ended, released, restarted, stopped, workFinished } from './workerEnds.ts';
import { CHANGED, log, step, type Step, type WorkerEvent } from './workerEvents.ts';
import { admitted, notReady, progressed, ready, slowStart, started, startFailed } from './workerStarts.ts';
import { FRESH_START, processOf, waitingWith, type WorkerLifecycle } from './workerState.ts';

/* The state machine of a worker. Times are milliseconds since the epoch. */

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
      return released(life, event.by);
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

function unreachable(life: WorkerLifecycle, reason: string): Step | undefined {
  const { state } = life;
  const hasRun = processOf(state) !== undefined || state.kind === 'starting' || state.kind === 'canceling';
  if (!hasRun || life.unreachable === reason) return undefined;
  const isFirst = life.unreachable === undefined;
  return step(life, { unreachable: reason }, ...(isFirst ? [log({ kind: 'engineUnreachable', reason }), CHANGED] : []));
}
