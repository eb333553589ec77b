import type { Client } from '../../../client/client.ts';
import { rereadJobs, type JobServicesOfConnection } from './readJob.ts';

/** Reads the numbers of jobs that wait and run on an endpoint. @throws ApiError */
export async function readQueue(
  client: Client,
  endpointId: string,
): Promise<{ readonly waiting: number; readonly running: number }> {
  const { jobs } = await client.getEndpointHealth({ endpointId });
  return { waiting: jobs.inQueue, running: jobs.inProgress };
}

/**
 * Removes the waiting jobs of an endpoint, and reads those of them that are in the history. Returns the number of removed jobs.
 *
 * @throws ApiError if the queue was not purged
 */
export async function purgeQueue(endpointId: string, services: JobServicesOfConnection): Promise<number> {
  const { client, connectionId, history } = services;
  const { removed } = await client.purgeQueue({ endpointId });
  const waited = history
    .recent(connectionId)
    .filter((job) => job.endpointId === endpointId && job.status === 'IN_QUEUE' && !job.gone);
  // The tracker reads a job again if this read fails.
  await rereadJobs(waited, services);
  return removed;
}
