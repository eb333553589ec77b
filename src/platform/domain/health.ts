/* The health state of a load-balanced worker (docs/local-platform.md, Load-balanced endpoints). */

/** Result of a probe. `unreachable` means that no process accepts connections. */
export type Health = 'ready' | 'starting' | 'unhealthy' | 'unreachable';

/** @param status HTTP status of the response: 200 is ready, 204 is starting, and any other status removes the worker from rotation */
export function healthOf(status: number): Health {
  if (status === 200) return 'ready';
  return status === 204 ? 'starting' : 'unhealthy';
}

/** Time in ms after which a worker that is not ready is replaced: eight minutes, as in the hosted service. */
const MAX_NOT_READY_MS = 480_000;

export interface HealthState {
  /** State after the last probe, `starting` before the first. Only a ready worker gets requests. */
  readonly state: 'starting' | 'ready' | 'sick';
  /** Time at which the worker was last ready, or its start, ms since the epoch. */
  readonly notReadySince: number;
}

/** Returns the state after a probe, or undefined if the worker must be replaced, because it was not ready for `MAX_NOT_READY_MS`. */
export function afterProbe(before: HealthState, health: Health, now: number): HealthState | undefined {
  if (health === 'ready') return { state: 'ready', notReadySince: now };
  const notReadySince = before.state === 'ready' ? now : before.notReadySince;
  if (now - notReadySince >= MAX_NOT_READY_MS) return undefined;
  // A worker that loads a model before it listens is unreachable, but not sick.
  const isStarting = health === 'starting' || (health === 'unreachable' && before.state === 'starting');
  return { state: isStarting ? 'starting' : 'sick', notReadySince };
}

const FAST_PAUSE_MS = 100;
const SLOW_PAUSE_MS = 1_000;
/** Time in ms after which a starting worker is probed less often. */
const FAST_PROBES_MS = 10_000;

/** Returns true if the worker has been starting for longer than usual. */
export function startsSlowly({ state, notReadySince }: HealthState, now: number): boolean {
  return state === 'starting' && now - notReadySince >= FAST_PROBES_MS;
}

/** Returns the pause before the next probe in ms. It is short during the usual time of a cold start. */
export function probePause(health: HealthState, now: number): number {
  return health.state === 'starting' && !startsSlowly(health, now) ? FAST_PAUSE_MS : SLOW_PAUSE_MS;
}
