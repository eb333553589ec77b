import { controlOperations } from '../../contract/control/controlOperations.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { Observer } from './observer.ts';

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
