import { foreign, shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { itemById } from '../../../kit/itemById.ts';
import type { ChosenJob } from './chosenJobs.ts';
import { withWorker, workerNode } from './jobLog.ts';
import { actionServices, type JobServices } from '../jobServices.ts';

/** Selects the worker of a job in the endpoints view. @throws UserError if the worker or its endpoint no longer exists */
export async function revealWorker(services: JobServices, { connectionId, job }: ChosenJob): Promise<void> {
  const { endpoints, endpointReveal } = services;
  actionServices(services, connectionId);
  const onWorker = await withWorker(services, { connectionId, job });
  const { endpointId, endpointName, workerId } = onWorker;
  if (!endpoints.find(endpointId)) await endpoints.refresh();
  await endpoints.refreshOne(endpointId);
  const snapshot = endpoints.find(endpointId);
  if (!snapshot) throw new UserError(shown`the endpoint “${endpointName}” no longer exists`);
  if (!itemById(snapshot.workers?.workers ?? [], workerId))
    throw new UserError(shown`worker ${foreign(workerId, 60)} has ended`);
  await endpointReveal.reveal(workerNode(onWorker));
}
