/* What the answers of a worker's health path mean (facts, section 5). */

/** `unreachable`: nothing accepts connections yet, or no more. */
export type Health = 'ready' | 'starting' | 'unhealthy' | 'unreachable';

/** @param status of the answer: 200 is ready, 204 starting, anything else takes the worker out of rotation */
export function healthOf(status: number): Health {
  if (status === 200) return 'ready';
  return status === 204 ? 'starting' : 'unhealthy';
}

/** A worker that has not been ready for that long is replaced, in ms (facts, section 5: eight minutes). */
const PATIENCE_MS = 480_000;

export interface HealthState {
  /** As the last probe left it; `starting` before the first. Only a ready worker gets requests. */
  readonly state: 'starting' | 'ready' | 'sick';
  /** When it began to be anything but ready, ms since the epoch. */
  readonly notReadySince: number;
}

/** The state after a probe; undefined when the worker has had its time and is to be replaced. */
export function afterProbe(before: HealthState, health: Health, now: number): HealthState | undefined {
  if (health === 'ready') return { state: 'ready', notReadySince: now };
  const notReadySince = before.state === 'ready' ? now : before.notReadySince;
  if (now - notReadySince >= PATIENCE_MS) return undefined;
  // Who loads a model before it listens cannot be reached, and is not sick for that.
  const comesUp = health === 'starting' || (health === 'unreachable' && before.state === 'starting');
  return { state: comesUp ? 'starting' : 'sick', notReadySince };
}

const QUICK_PAUSE_MS = 100;
const SLOW_PAUSE_MS = 1_000;
/** So long after it began, a worker that still starts is asked less often. */
const QUICK_MS = 10_000;

/** Whether it has been starting for longer than most. */
export function startsSlowly({ state, notReadySince }: HealthState, now: number): boolean {
  return state === 'starting' && now - notReadySince >= QUICK_MS;
}

/** The pause before the next probe, in ms: short while a cold start is waited for. */
export function probePause(health: HealthState, now: number): number {
  return health.state === 'starting' && !startsSlowly(health, now) ? QUICK_PAUSE_MS : SLOW_PAUSE_MS;
}
