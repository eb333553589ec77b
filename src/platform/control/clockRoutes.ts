import type { ClockState } from '../../contract/control.ts';
import { controlOperations } from '../../contract/operations/control.ts';
import type { AdjustableClock } from '../adjustableClock.ts';
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
    const forward = advanceMs ?? (now === undefined ? 0 : Date.parse(now) - clock.now());
    if (forward < 0) {
      const message = `must not be before ${new Date(clock.now()).toISOString()}: the clock only goes forward`;
      throw refuseViolations([{ path: ['now'], message, status: 422 }]);
    }
    if (frozen === true) clock.freeze();
    if (forward > 0) await clock.advance(forward);
    if (frozen === false) clock.unfreeze();
    return state();
  });
}
