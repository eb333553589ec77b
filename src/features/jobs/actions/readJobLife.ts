import { ApiError, type ErrorKind } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { JobTrace } from '../../../contract/control/controlTraces.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';
import { isTerminal } from '../../../contract/job.ts';
import { lifeOfJob, lifeOfTrace, type JobLife, type ReportedJob } from '../model/timeline/jobLife.ts';

/** Errors that do not tell whether a platform records traces. */
const TRANSIENT: readonly ErrorKind[] = ['canceled', 'network', 'timeout', 'rateLimited'];

export interface LifeQuery {
  readonly client: Client;
  /** Whether the platform is one that records traces. Others, such as the platform of a team, may record them too. */
  readonly isLocal: boolean;
  readonly job: ReportedJob & { readonly endpointId: string };
  readonly signal?: AbortSignal;
}

/**
 * Reads the life of a job as the platform recorded it, or else derives it from what the job itself tells.
 *
 * @throws ApiError if the platform cannot be reached, or if the local platform fails
 */
export async function readJobLife(query: LifeQuery): Promise<JobLife> {
  const { client, isLocal, job } = query;
  const read = await readJobTrace(query);
  if (read) return lifeOfTrace(read.trace, read.now);
  return lifeOfJob(job, client.context.clock.now(), isLocal ? 'gone' : 'reported');
}

/**
 * Reads the trace of a job, with the present of the platform in ms since the epoch. Undefined if the platform has none.
 *
 * @throws ApiError if the platform cannot be reached, or if one that records traces fails
 */
export async function readJobTrace({
  client,
  job: { id, endpointId },
  isLocal = false,
  signal,
}: Omit<LifeQuery, 'isLocal' | 'job'> & {
  readonly isLocal?: boolean;
  readonly job: { readonly id: string; readonly endpointId: string };
}): Promise<{ readonly trace: JobTrace; readonly now: number } | undefined> {
  const { controlClientOf } = await import('../../../client/controlClient.ts');
  const control = controlClientOf(client.context);
  const options = { waits: 0, ...(signal && { signal }) };
  try {
    const trace = await control.getJobTrace({ endpointId, jobId: id }, options);
    const goesOn = !isTerminal(trace.status) || trace.spans.some(({ end }) => end === undefined);
    // The owner of a local platform can change its time. A key of a team's platform may not read it.
    const clock = goesOn ? await control.getClock({}, options).catch(() => undefined) : undefined;
    return { trace, now: clock ? millisecondsOf(clock.now) : client.context.clock.now() };
  } catch (error) {
    if (!(error instanceof ApiError) || TRANSIENT.includes(error.kind)) throw error;
    // Other platforms may answer an unknown path with any error.
    if (isLocal && error.kind !== 'notFound') throw error;
    return undefined;
  }
}
