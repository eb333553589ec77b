import { LATEST_CLOCK, MAX_TIME_SPAN_MS } from '../../contract/bounds.ts';
import type { ClockState } from '../../contract/control/control.ts';
import { millisecondsOf } from '../../contract/dateTime.ts';
import { controlOperations } from '../../contract/control/controlOperations.ts';
import type { AdjustableClock } from '../time/adjustableClock.ts';
import { refuseViolations } from '../domain/refusal.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';

/** The time of the platform. It only goes forward: what has happened must not lie in the future. */
export function clockRoutes(app: ControlApp, clock: AdjustableClock): void {
  const state = (): ClockState => ({
    now: new Date(clock.now()).toISOString(),
    frozen: clock.frozen,
    aheadMs: Math.round(clock.aheadMs),
  });
  controlRoute(app, controlOperations.getClock, state);
  controlRoute(app, controlOperations.setClock, async ({ body: { frozen, advanceMs, now } }) => {
    const forward = advanceMs ?? (now === undefined ? 0 : millisecondsOf(now) - clock.now());
    const refusal = whyNot(forward, clock.now());
    if (refusal !== undefined) {
      const path = [advanceMs === undefined ? 'now' : 'advanceMs'];
      throw refuseViolations([{ path, message: refusal, status: 422 }]);
    }
    if (frozen === true) clock.freeze();
    if (forward > 0) await clock.advance(forward);
    if (frozen === false) clock.unfreeze();
    return state();
  });
}

/** Explains why the clock cannot advance by `forward` ms; undefined if it can. */
function whyNot(forward: number, now: number): string | undefined {
  const text = (ms: number): string => new Date(ms).toISOString();
  if (forward < 0) return `must not be before ${text(now)}: the clock only goes forward`;
  if (forward > MAX_TIME_SPAN_MS)
    return `must be at most ${text(now + MAX_TIME_SPAN_MS)}: one change can cover ten years`;
  if (now + forward > LATEST_CLOCK) return `must not move the clock past ${text(LATEST_CLOCK)}`;
  return undefined;
}
