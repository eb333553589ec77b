import type { StoredJob } from '../model/storedJob.ts';
import type { JobRequests } from '../requests/jobRequests.ts';
import { failuresOf, type JobFailure, type JobServicesOfConnection } from './readJob.ts';
import { timed } from './submissionTimes.ts';
import type { JobOrder } from './submitAndFollow.ts';

/** A request to submit again, with what the new job inherits. */
export type RepeatedOrder = JobOrder & Pick<StoredJob, 'pricePerHour' | 'file'>;

type SubmitServices = JobServicesOfConnection & { readonly requests: Pick<JobRequests, 'put'> };

/** Submits several requests, and follows their jobs in the background. Returns the requests that were not accepted. */
export function submitAgain(
  orders: readonly RepeatedOrder[],
  services: SubmitServices,
): Promise<readonly JobFailure<RepeatedOrder>[]> {
  return failuresOf(orders, (order) => submitJob(order, services));
}

/** Submits a request, and follows its job in the background. @throws ApiError if the job was not accepted */
export async function submitJob(
  { endpointId, endpointName, body, pricePerHour, file }: RepeatedOrder,
  { client, connectionId, clock, history, requests, tracking }: SubmitServices,
): Promise<StoredJob> {
  const { answer, times } = await timed(clock, (onSend) => client.runJob({ endpointId, body }, { onSend }));
  const { id, status } = answer;
  const notStored = await requests.put(connectionId, id, body);
  const job: StoredJob = {
    ...{ id, endpointId, endpointName, ...times, status },
    ...(pricePerHour === undefined ? {} : { pricePerHour }),
    ...(file === undefined ? {} : { file }),
    ...(notStored === undefined ? {} : { notStored }),
  };
  await history.put(connectionId, job);
  tracking.track(connectionId, job);
  return job;
}
