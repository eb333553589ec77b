import { ApiError } from '../../client/apiError.ts';
import { listAll } from '../../client/listAll.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import { endpointNamed } from './endpointNamed.ts';
import type { Session } from './openSession.ts';

/**
 * Returns the ID of the endpoint that has a job.
 *
 * @param job its ID, and the name or ID of its endpoint if that is given
 * @throws CannotRunError if no endpoint has it, and ApiError
 */
export async function endpointOfJob(
  session: Session,
  { jobId, endpoint }: { readonly jobId: string; readonly endpoint: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  if (endpoint !== undefined) return (await endpointNamed(session, endpoint, signal)).id;
  const { client, name } = session;
  for (const { id, type } of await listAll(client, 'listEndpoints', {}, 'endpoints', { signal })) {
    if (type === 'LOAD_BALANCER') continue;
    const job = await client.getJobStatus({ endpointId: id, jobId }, { signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.kind === 'notFound') return undefined;
      throw error;
    });
    if (job) return id;
  }
  throw new CannotRunError(`no endpoint of ${name} has the job ${jobId}`);
}
