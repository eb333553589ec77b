import { LATEST_CLOCK, MAX_TIME_SPAN_MS } from '../../contract/bounds.ts';
import type { ClockState } from '../../contract/control/control.ts';
import { dateTime, millisecondsOf } from '../../contract/dateTime.ts';
import { controlOperations } from '../../contract/control/controlOperations.ts';
import { brokenRule, type BrokenRule } from '../../contract/violation.ts';
import type { DerivedClock } from '../time/derivedClock.ts';
import { refuseViolations, notFound, Refusal } from '../domain/refusal.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { Observer } from './observer.ts';
import { QueueEndpoint } from '../queue/queueEndpoint.ts';
import type { ControlServices } from './controlServices.ts';

/** Routes for the platform's clock. The clock only moves forward, because past events must not lie in the future. */
export function clockRoutes(app: ControlApp, clock: DerivedClock): void {
  const state = (): ClockState => ({
    now: new Date(clock.now()).toISOString(),
    frozen: clock.frozen,
    aheadMs: Math.round(clock.aheadMs),
  });
  controlRoute(app, controlOperations.getClock, state);
  controlRoute(app, controlOperations.setClock, async ({ body: { frozen, advanceMs, now } }) => {
    const forward = advanceMs ?? (now === undefined ? 0 : millisecondsOf(now) - clock.now());
    const broken = ruleAgainst(forward, clock.now());
    if (broken) {
      const path = [advanceMs === undefined ? 'now' : 'advanceMs'];
      throw refuseViolations([{ path, ...broken, status: 422 }]);
    }
    if (frozen === true) clock.freeze();
    if (forward > 0) await clock.advance(forward);
    if (frozen === false) clock.unfreeze();
    return state();
  });
}

/** Returns the rule that an advance by `forward` ms breaks, or undefined if it breaks none. */
function ruleAgainst(forward: number, now: number): BrokenRule | undefined {
  if (forward < 0) return brokenRule('clockBackward', { now: dateTime(now) });
  if (forward > MAX_TIME_SPAN_MS) return brokenRule('clockStepTooLong', { latest: dateTime(now + MAX_TIME_SPAN_MS) });
  if (now + forward > LATEST_CLOCK) return brokenRule('clockTooFar', { latest: dateTime(LATEST_CLOCK) });
  return undefined;
}

/** Routes for injected faults and the request log. */
export function faultRoutes(app: ControlApp, { faults, log }: Observer): void {
  controlRoute(app, controlOperations.listFaults, () => ({ faults: faults.list() }));
  controlRoute(app, controlOperations.addFault, ({ body }) => faults.add(body));
  controlRoute(app, controlOperations.removeFaults, () => {
    faults.clear();
    return undefined;
  });
  controlRoute(app, controlOperations.removeFault, ({ parameters }) => {
    faults.remove(parameters.id);
    return undefined;
  });
  controlRoute(app, controlOperations.listRequests, ({ query }) => ({ requests: log.newest(query) }));
}

/** Routes for disturbed deliveries of jobs, which show whether a worker survives a retry. */
export function disturbanceRoutes(app: ControlApp, instance: ControlServices['instance']): void {
  const queueOf = (endpointId: string): QueueEndpoint => {
    const endpoint = instance().engine.endpoint(endpointId);
    if (!(endpoint instanceof QueueEndpoint)) throw notFound(`queue of endpoint '${endpointId}'`);
    return endpoint;
  };
  controlRoute(app, controlOperations.addDisturbance, ({ parameters, body }) =>
    queueOf(parameters.endpointId).disturbances.add(body),
  );
  controlRoute(app, controlOperations.listDisturbances, ({ parameters }) => ({
    disturbances: [...queueOf(parameters.endpointId).disturbances.list()],
  }));
  controlRoute(app, controlOperations.disturbJob, async ({ parameters: { endpointId, jobId }, body: { effect } }) => {
    const queue = queueOf(endpointId);
    // Reports an unknown job.
    queue.jobs.get(jobId);
    const happened = effect === 'killWorker' ? await queue.killHolder(jobId) : queue.expireLease(jobId);
    if (!happened) throw new Refusal(409, 'no worker is running the job');
    return undefined;
  });
}
