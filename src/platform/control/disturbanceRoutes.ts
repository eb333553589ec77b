import { controlOperations } from '../../contract/control/controlOperations.ts';
import { notFound, Refusal } from '../domain/refusal.ts';
import { QueueEndpoint } from '../queue/queueEndpoint.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlServices } from './controlServices.ts';

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
